package binaries

// pins returns what may be unpacked and run: the archives that scripts/pin-postgres found, with their sums. It wrote
// this file.
func pins() []pin {
	return []pin{
		{"linux-amd64", "13.23.0", 14195848, "2b0387c9abb4ab2cdf8e5ebad4f3b0877078203e1de797023c681ecd1ff66938"},
		{"linux-amd64", "14.24.0", 14496000, "a22637a4a9904f6a7ed42ca0849f3db96f29a6d7dc719d9da8487fe4522e5017"},
		{"linux-amd64", "15.19.0", 14625140, "335beb3873692297bfa7712f09ef706114c28896e85ee83098f3aafaaa70b24a"},
		{"linux-amd64", "16.15.0", 14732344, "bda67fe32e23b049c25db4b98132d154a4fa824c44e1bd8fd01b0236f4676c24"},
		{"linux-amd64", "17.11.0", 14982416, "f044ba1009e9c7ed62a5a9a6f923ca6327fe4e80d8f6bf4f8887dbc59ac14bed"},
		{"linux-amd64", "18.6.0", 15114736, "63999c2914366d62c68e51794e597588c336e75ed2958d53c558e8deca5e13fc"},
		{"linux-arm64v8", "14.23.0", 13650448, "86c00ce1efdd10945ffe2867bdefc79d68fd5acb150ee67b150e92ee4d2696d8"},
		{"linux-arm64v8", "15.19.0", 13682236, "1459772dc64a36546dcd5a5b2a1e771fc79e7346ed0575afdef39fcea346aeb9"},
		{"linux-arm64v8", "16.15.0", 13739912, "e66afbea65a143aa6cda8d5a56c2aea9985d1d9649dfb29ba487363844fd1f81"},
		{"linux-arm64v8", "17.11.0", 14010768, "3f389cec72930e0f0d6e917709593bbabcb417023c12d1f1eb7acc9ae7ab436c"},
		{"linux-arm64v8", "18.6.0", 14137620, "2eb24d67326da41a81064d116b0bce412dff543c835d6fcc1c099e4abcf18836"},
		{"darwin-amd64", "13.18.0", 21110268, "b922a37b4cf3519628d8830e48440968b43259dcd0f6b75f2d92e22931aceb57"},
		{"darwin-amd64", "14.22.0", 28203616, "fec75f85cf30bfcc7bebf451ee89e3a39780d2c96baa46fac2b9fc127d9d60ac"},
		{"darwin-amd64", "15.19.0", 61254340, "af7030facc4f147ffa44af198fa64e84d61a7db20e2fa7a78af19f69059fea3e"},
		{"darwin-amd64", "16.15.0", 61869504, "07f29aed5baae53962b0ab80c901763b490b5692cf6a730cb3ece6bf455567af"},
		{"darwin-amd64", "17.11.0", 62125880, "9debf1c40ca2cd7e71d101be421f8b170722222633960267fbfef7ce77b8b530"},
		{"darwin-amd64", "18.6.0", 71165492, "f4db5df0b13e3e72149c0547ccd1eee177cfe67accb8c296e8d0e46ef3601f01"},
		{"darwin-arm64v8", "14.23.0", 28194464, "a4511aac1975b1f5e26eddd6dc0dacd6aca61f266c16b472306726d49c63af7a"},
		{"darwin-arm64v8", "15.19.0", 61254340, "af7030facc4f147ffa44af198fa64e84d61a7db20e2fa7a78af19f69059fea3e"},
		{"darwin-arm64v8", "16.15.0", 61869504, "07f29aed5baae53962b0ab80c901763b490b5692cf6a730cb3ece6bf455567af"},
		{"darwin-arm64v8", "17.11.0", 62125880, "9debf1c40ca2cd7e71d101be421f8b170722222633960267fbfef7ce77b8b530"},
		{"darwin-arm64v8", "18.6.0", 71165492, "f4db5df0b13e3e72149c0547ccd1eee177cfe67accb8c296e8d0e46ef3601f01"},
	}
}
