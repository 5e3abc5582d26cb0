package script

// hashFNV is FNV-1a over the eight bytes of a value, low byte first, with the seed in the offset basis
// (http://www.isthe.com/chongo/tech/comp/fnv).
func hashFNV(value, seed int64) int64 {
	const basis, prime = 0xcbf29ce484222325, 0x100000001b3
	h := uint64(seed) ^ basis
	for range 8 {
		h = (h ^ uint64(value&0xff)) * prime
		value >>= 8
	}
	return int64(h)
}

// hashMurmur is the 64-bit MurmurHash2 of one eight-byte value (https://github.com/aappleby/smhasher).
func hashMurmur(value, seed int64) int64 {
	const multiplier, shift = 0xc6a4a7935bd1e995, 47
	const start = 0x35253c9ade8f4ca8 // the multiplier times the length, eight bytes
	k := uint64(value)
	k *= multiplier
	k ^= k >> shift
	k *= multiplier
	h := uint64(seed) ^ start ^ k
	h *= multiplier
	h ^= h >> shift
	h *= multiplier
	return int64(h ^ h>>shift)
}
