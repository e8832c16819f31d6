#!/bin/sh
# Writes install.sh and the Homebrew formula of a release, with its address and checksums filled in.
#   packaging/release.sh FOLDER HOMEPAGE TAG [MINISIGN-KEY]
# FOLDER holds the archives of every platform with their checksums.
set -eu
folder=$1 homepage=$2 tag=$3 key=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
url="$homepage/releases/download/$tag"

sed -e "s|@RELEASE_URL@|$url|" -e "s|@MINISIGN_KEY@|${key:-@}|" "$here/install.sh" > "$folder/install.sh"
chmod +x "$folder/install.sh"
sum() {
    [ -s "$folder/automode-$1.tar.gz.sha256" ] || { echo "error: \`$folder\` has no checksum for \`$1\`" >&2; return 1; }
    cut -d' ' -f1 "$folder/automode-$1.tar.gz.sha256"
}
darwin_arm64=$(sum darwin-arm64)
darwin_x86_64=$(sum darwin-x86_64)
linux_aarch64=$(sum linux-aarch64)
linux_x86_64=$(sum linux-x86_64)
sed -e "s|@RELEASE_URL@|$url|" -e "s|@HOMEPAGE@|$homepage|" -e "s|@VERSION@|${tag#v}|" \
    -e "s|@SHA256_DARWIN_ARM64@|$darwin_arm64|" -e "s|@SHA256_DARWIN_X86_64@|$darwin_x86_64|" \
    -e "s|@SHA256_LINUX_AARCH64@|$linux_aarch64|" -e "s|@SHA256_LINUX_X86_64@|$linux_x86_64|" \
    "$here/homebrew/automode.rb.in" > "$folder/automode.rb"
