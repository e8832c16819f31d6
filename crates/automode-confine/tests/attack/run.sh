# One attack in a closed sandbox: own network, processes and temporary directories.
# As root of that sandbox; setup and attack run as a user without rights.
set -u
mount -t tmpfs none /tmp 2>/dev/null
mount -t tmpfs none /dev/shm 2>/dev/null && chmod 1777 /tmp /dev/shm
python3 "$HERE/serve.py" up -
if [ "$(id -u)" = 0 ] && [ "${OWN_USER:-}" = "" ]; then
    AS="setpriv --reuid 65534 --regid 65534 --clear-groups"
else
    AS=""
fi
user() { $AS "$@"; }
mkdir -p "$BASE/home/app" "$BASE/home/.ssh" "$BASE/home/notes" "$BASE/home/other" "$BASE/out"
echo canary > "$BASE/home/.ssh/id_rsa"
echo canary > "$BASE/home/notes/passwords.txt"
echo 'print()' > "$BASE/home/other/main.py"
echo '# start' > "$BASE/home/.bashrc"
export HOME="$BASE/home" P="$BASE/home/app" OUT="$BASE/out" REALHOME="$BASE/home"
export TMPFILE=/tmp/attack-file SHM=/dev/shm/attack-file GITHUB_TOKEN=canary PY="python3 -c"
export GIT_CONFIG_NOSYSTEM=1 SWAP="$(cat "$HERE/swap.py")"
cd "$HOME" || exit 9
[ "${OWN_USER:-}" != "" ] || chown -R 65534:65534 "$BASE"
$AS env HIDDEN=canary sleep 100 &
export VICTIM=$!
own() { [ "${OWN_USER:-}" != "" ] || chown -R 65534:65534 "$BASE"; }
serve() {
    own
    user python3 "$HERE/serve.py" "$1" "$2" "$OUT/received" > "$OUT/ready" &
    for _ in $(seq 100); do
        if grep -q ready "$OUT/ready" 2>/dev/null; then
            TERMINAL=$(cat "$OUT/terminal" 2>/dev/null)
            export TERMINAL
            return
        fi
        sleep 0.03
    done
}
cd "$P" || exit 9
user sh -c 'git init -q . && echo hi > a.txt && git add a.txt && git -c user.name=a -c user.email=a@b.example commit -qm one'
MORE=""
eval "$SETUP"
own
for file in "$TMPFILE" "$SHM"; do [ ! -e "$file" ] || chown 65534:65534 "$file"; done
cd "$P" || exit 9
if [ "$BACKEND" = none ]; then
    user timeout -s KILL 20 bash -c "$ATTACK" 9<"$HOME/.ssh/id_rsa"
else
    user timeout -s KILL 20 "$LAUNCHER" run "$BACKEND" "$HOME/.state" "{\"project\":\"$P\"${MORE:+,$MORE}}" "$ATTACK" 9<"$HOME/.ssh/id_rsa"
fi
if eval "$HIT"; then echo "RESULT hit"; else echo "RESULT stopped"; fi
