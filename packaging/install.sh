#!/bin/sh
# Installs the newest realiops, or the one of $VERSION, for this user:
#
#   curl -fsSL https://raw.githubusercontent.com/realiops/realiops/main/packaging/install.sh | sh
#
# $PREFIX is where to (default: ~/.local). The download is checked against the release's SHA256SUMS. $REALIOPS_RELEASES names a mirror.
#
# A shell runs nothing of this before it has read the brace on the last line: a download that is cut off does nothing.
{

fail() { echo "install realiops: $*" >&2; exit 1; }

fetch() { # URL FILE
  if command -v curl >/dev/null; then
    curl -fsSL "$1" -o "$2"
  elif command -v wget >/dev/null; then
    wget -qO "$2" "$1"
  else
    fail "curl or wget is needed to fetch it"
  fi || fail "cannot fetch $1"
}

install() {
  set -eu
  releases=${REALIOPS_RELEASES:-https://github.com/realiops/realiops/releases}
  prefix=${PREFIX:-$HOME/.local}
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "no build for $(uname -s): the run has builds for Linux, macOS and Windows, see $releases" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=amd64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "no build for $(uname -m): the run has builds for amd64 and arm64" ;;
  esac

  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  if [ -n "${VERSION:-}" ]; then from=$releases/download/v$VERSION; else from=$releases/latest/download; fi
  fetch "$from/SHA256SUMS" "$work/SHA256SUMS"
  archive=$(awk '{ print $2 }' "$work/SHA256SUMS" | grep "^realiops_.*_${os}_$arch\.tar\.gz\$") || fail "the release has no build for $os on $arch"
  fetch "$from/$archive" "$work/$archive"

  cd "$work"
  grep " $archive\$" SHA256SUMS >wanted
  if command -v sha256sum >/dev/null; then sha256sum -c wanted; else shasum -a 256 -c wanted; fi >/dev/null 2>&1 ||
    fail "$archive is not what SHA256SUMS says: nothing was installed"
  tar -xzf "$archive"
  mkdir -p "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/bash-completion/completions" "$prefix/share/zsh/site-functions" \
    "$prefix/share/fish/vendor_completions.d"
  cp realiops "$prefix/bin/.realiops-new" && mv "$prefix/bin/.realiops-new" "$prefix/bin/realiops"
  cp man/*.1 "$prefix/share/man/man1"
  cp completions/realiops.bash "$prefix/share/bash-completion/completions/realiops"
  cp completions/_realiops "$prefix/share/zsh/site-functions"
  cp completions/realiops.fish "$prefix/share/fish/vendor_completions.d"
  echo "Installed $("$prefix/bin/realiops" version) in $prefix/bin"
  case :$PATH: in *":$prefix/bin:"*) ;; *) echo "$prefix/bin is not in your PATH" ;; esac
}

install; }
