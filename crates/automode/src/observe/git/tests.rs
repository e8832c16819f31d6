//! git itself is the oracle.

use std::process::Command;

use proptest::prelude::*;

use super::*;

fn git(root: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .current_dir(root)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(done.status.success(), "{arguments:?}: {done:?}");
}

fn tree() -> (tempfile::TempDir, PathBuf) {
    let tree = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(tree.path()).unwrap();
    git(&root, &["init", "-q"]);
    (tree, root)
}

fn state(path: &Path) -> GitState {
    states(&[path.to_owned()]).pop().unwrap()
}

/// What git itself says.
fn oracle(path: &Path) -> GitState {
    let repository = existing(path).and_then(repo::find).unwrap();
    let until = Instant::now() + std::time::Duration::from_secs(60);
    process::state(&repository, path, until)
}

#[test]
fn git_tells_what_it_has() {
    let (_tree, root) = tree();
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join(".gitignore"), "dist\n").unwrap();
    fs::write(root.join("src/clean"), "1").unwrap();
    fs::write(root.join("dirty"), "1").unwrap();
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "one"]);
    fs::write(root.join("dirty"), "2").unwrap();
    fs::write(root.join("untracked*"), "1").unwrap();
    fs::create_dir_all(root.join("dist")).unwrap();
    fs::write(root.join("dist/app.js"), "1").unwrap();
    fs::write(root.join("staged"), "1").unwrap();
    git(&root, &["add", "staged"]);
    let check = |path: &str, expected: GitState| {
        let path = root.join(path);
        assert_eq!(state(&path), expected, "{}", path.display());
        assert_eq!(oracle(&path), expected, "{}", path.display());
    };
    check("src/clean", GitState::Clean);
    check("src", GitState::Clean);
    check("dirty", GitState::Dirty);
    check("staged", GitState::Dirty);
    check("untracked*", GitState::Untracked);
    check("dist/app.js", GitState::Ignored);
    check("dist", GitState::Ignored);
    check("", GitState::Untracked);
    assert_eq!(state(Path::new("/")), GitState::None);
    assert_eq!(state(&root.join(".git/config")), GitState::None);
}

#[test]
fn a_repository_that_would_run_programs_runs_none() {
    let (_tree, root) = tree();
    let mark = root.join("ran");
    fs::write(root.join("a"), "1").unwrap();
    fs::write(root.join(".gitattributes"), "* filter=x\n").unwrap();
    git(&root, &["add", "a"]);
    git(&root, &["commit", "-qm", "one"]);
    let program = format!("touch {}; cat", mark.display());
    git(&root, &["config", "filter.x.clean", &program]);
    git(&root, &["config", "core.fsmonitor", &program]);
    fs::write(root.join("a"), "2").unwrap();
    assert_eq!(state(&root.join("a")), GitState::Dirty);
    // Not even where git would have to be asked.
    git(&root, &["config", "core.worktree", root.to_str().unwrap()]);
    assert_eq!(state(&root.join("a")), GitState::None);
    assert!(!mark.exists(), "git ran the repository's program");
}

#[test]
fn packed_deltas_worktrees_and_old_indexes_are_read() {
    let (_tree, root) = tree();
    fs::create_dir_all(root.join("deep/er")).unwrap();
    for at in 0..300 {
        let body = format!("{at}\n").repeat(40);
        fs::write(root.join(format!("deep/er/file-{at}")), body).unwrap();
    }
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "one"]);
    for at in 0..5 {
        fs::write(root.join("deep/er/file-7"), format!("{at}")).unwrap();
        git(&root, &["commit", "-qam", "more"]);
    }
    git(&root, &["gc", "-q", "--aggressive"]);
    git(&root, &["pack-refs", "--all"]);
    // Something is staged elsewhere, so that trees are looked up one by one.
    fs::write(root.join("new"), "1").unwrap();
    git(&root, &["add", "new"]);
    for version in ["2", "3", "4"] {
        git(&root, &["update-index", "--index-version", version]);
        for path in ["deep/er/file-7", "deep/er/file-299", "deep", "new"] {
            let path = root.join(path);
            let expected = if path.ends_with("new") {
                GitState::Dirty
            } else {
                GitState::Clean
            };
            assert_eq!(state(&path), expected, "{version} {}", path.display());
        }
    }
    let other = fs::canonicalize(root.parent().unwrap())
        .unwrap()
        .join(format!(
            "{}-other",
            root.file_name().unwrap().to_str().unwrap()
        ));
    git(
        &root,
        &[
            "worktree",
            "add",
            "-q",
            other.to_str().unwrap(),
            "-b",
            "side",
        ],
    );
    assert_eq!(state(&other.join("deep/er/file-7")), GitState::Clean);
    fs::remove_dir_all(&other).unwrap();
}

#[test]
fn a_directory_past_the_budget_counts_as_lost() {
    let (_tree, root) = tree();
    fs::create_dir(root.join("many")).unwrap();
    for at in 0..200 {
        fs::write(root.join(format!("many/{at}")), "x").unwrap();
    }
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "one"]);
    let repository = repo::find(&root).unwrap();
    let many = root.join("many");
    let found = fs::symlink_metadata(&many).ok();
    let look = |steps| {
        let mut budget = LookBudget {
            steps,
            bytes: BYTES,
            until: None,
        };
        in_repository(&repository, &[(&many, found.as_ref())], &mut budget)
            .pop()
            .unwrap()
    };
    assert_eq!(look(STEPS), GitState::Clean);
    assert_eq!(look(100), GitState::Untracked);
}

#[test]
fn one_that_hangs_is_ended_with_its_group_and_in_time() {
    use std::os::unix::process::CommandExt;
    let started = Instant::now();
    for script in [
        "sleep 77.5 & sleep 77.5",
        "exec >&-; sleep 77.5 & sleep 77.5",
        "trap '' TERM; sleep 77.5",
    ] {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", script])
            .process_group(0)
            .stdout(std::process::Stdio::piped());
        let child = command.spawn().unwrap();
        let told = process::wait(child, std::time::Duration::from_millis(300));
        assert_eq!(told, None, "{script}");
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(20));
}

/// Something that people and programs do in a working tree.
#[derive(Clone, Debug)]
enum Deed {
    Write(u8, u8),
    Remove(u8),
    Link(u8, u8),
    Chmod(u8),
    Ignore(u8),
    Add(u8),
    AddAll,
    Commit,
    Gc,
}

const NAMES: [&str; 9] = [
    "a", "a-b", "a.o", "d/a", "d/e/f.o", "d/e/g", "d-e", "out/x", "out/keep",
];
const LISTS: [(&str, &str); 5] = [
    (".gitignore", "*.o\n/out/\n"),
    (".gitignore", "out/*\n!out/keep\n"),
    ("d/.gitignore", "/e/g\n!f.o\n"),
    (".git/info/exclude", "a-b\n"),
    (".gitignore", "**/e/\n"),
];

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (0_u8..9, 0_u8..4).prop_map(|(name, body)| Deed::Write(name, body)),
        1 => (0_u8..9).prop_map(Deed::Remove),
        1 => (0_u8..9, 0_u8..9).prop_map(|(name, to)| Deed::Link(name, to)),
        1 => (0_u8..9).prop_map(Deed::Chmod),
        1 => (0_u8..5).prop_map(Deed::Ignore),
        3 => (0_u8..9).prop_map(Deed::Add),
        1 => Just(Deed::AddAll),
        2 => Just(Deed::Commit),
        1 => Just(Deed::Gc),
    ]
}

fn act(root: &Path, deed: &Deed) {
    let path = |name: &u8| root.join(NAMES[usize::from(*name)]);
    let quietly = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command
            .current_dir(root)
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com"]);
        command.args(arguments).output().unwrap();
    };
    match deed {
        Deed::Write(name, body) => {
            fs::create_dir_all(path(name).parent().unwrap()).ok();
            let _ = fs::remove_file(path(name));
            fs::write(path(name), format!("{body}\n")).ok();
        }
        Deed::Remove(name) => {
            let _ = fs::remove_file(path(name));
        }
        Deed::Link(name, to) => {
            fs::create_dir_all(path(name).parent().unwrap()).ok();
            let _ = fs::remove_file(path(name));
            std::os::unix::fs::symlink(NAMES[usize::from(*to)], path(name)).ok();
        }
        Deed::Chmod(name) => {
            if fs::symlink_metadata(path(name)).is_ok_and(|about| about.is_file()) {
                let mode = fs::metadata(path(name)).unwrap().permissions().mode() ^ 0o111;
                fs::set_permissions(path(name), fs::Permissions::from_mode(mode)).unwrap();
            }
        }
        Deed::Ignore(list) => {
            let (name, text) = LISTS[usize::from(*list)];
            fs::create_dir_all(root.join(name).parent().unwrap()).ok();
            fs::write(root.join(name), text).ok();
        }
        Deed::Add(name) => quietly(&["add", "-f", "--", NAMES[usize::from(*name)]]),
        Deed::AddAll => quietly(&["add", "-A"]),
        Deed::Commit => quietly(&["commit", "-qm", "x"]),
        Deed::Gc => quietly(&["repack", "-qad"]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_told_is_what_git_tells(deeds in prop::collection::vec(deed(), 4..24)) {
        let (_tree, root) = tree();
        for deed in &deeds {
            act(&root, deed);
        }
        let paths: Vec<PathBuf> = NAMES
            .iter()
            .chain(&["", "d", "d/e", "out", "nothing"])
            .map(|name| root.join(name))
            .filter(|path| !path.is_symlink())
            .collect();
        for (path, told) in paths.iter().zip(states(&paths)) {
            let expected = oracle(path);
            // Stricter is never wrong, looser always: a content that git has, or one that it leaves out.
            let is_stricter = match told {
                GitState::Clean | GitState::Ignored | GitState::None => false,
                GitState::Dirty | GitState::Untracked => path.is_dir() || !path.exists(),
            };
            prop_assert!(told == expected || is_stricter, "{}: {told:?}, git {expected:?}: {deeds:?}", path.display());
        }
    }
}

/// Names that git itself reports as different from the last commit, and as new.
fn reported(root: &Path) -> std::collections::BTreeSet<String> {
    let compared = ["diff", "--name-only", "-z", "--no-renames", "HEAD", "--"];
    let untracked = ["ls-files", "-z", "--others", "--exclude-standard"];
    [&compared[..], &untracked[..]]
        .iter()
        .flat_map(|asked| output(root, asked).unwrap())
        .map(char::from)
        .collect::<String>()
        .split('\0')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn what_differs_is_what_git_reports() {
    let (_tree, root) = tree();
    let at = |name: &str| root.join(name);
    let put = |name: &str, text: &str| {
        fs::create_dir_all(at(name).parent().unwrap()).unwrap();
        fs::write(at(name), text).unwrap();
    };
    let found = || {
        let repository = repo::find(&root).unwrap();
        since(&repository, None).unwrap()
    };
    for name in ["a/one", "a/two", "b/c/three", "b/four", "five", "six"] {
        put(name, name);
    }
    put(".gitignore", "out/\n*.log\n");
    git(&root, &["add", "."]);
    git(&root, &["commit", "-qm", "one"]);
    assert_eq!(found().names, reported(&root));
    let steps: &[&dyn Fn()] = &[
        &|| put("a/one", "changed"),
        &|| put("new/deep/er", "new"),
        &|| put("out/left", "out"),
        &|| put("b/x.log", "out"),
        &|| fs::remove_file(at("five")).unwrap(),
        &|| git(&root, &["rm", "-q", "--cached", "b/four"]),
        &|| put("b/c/staged", "staged"),
        &|| git(&root, &["add", "b/c/staged"]),
        &|| git(&root, &["mv", "six", "seven"]),
        &|| std::os::unix::fs::symlink("a", at("link")).unwrap(),
        &|| git(&root, &["init", "-q", "nested"]),
        &|| put("nested/file", "of another"),
        &|| git(&root, &["add", "a/one"]),
        &|| git(&root, &["gc", "-q"]),
        &|| git(&root, &["commit", "-qm", "two"]),
        &|| git(&root, &["gc", "-q", "--aggressive"]),
        &|| put("a/two", "again"),
    ];
    for (at, step) in steps.iter().enumerate() {
        step();
        assert_eq!(found().names, reported(&root), "after step {at}");
    }
    assert_eq!(
        found().before.get("a/two").map(String::as_str),
        Some("a/two")
    );
}

#[test]
fn revisions_are_what_git_takes_them_for() {
    let (_tree, root) = tree();
    let commit = |name: &str| {
        fs::write(root.join(name), name).unwrap();
        git(&root, &["add", "."]);
        git(&root, &["commit", "-qm", name]);
    };
    for name in ["one", "two", "three"] {
        commit(name);
    }
    git(&root, &["tag", "-am", "v1", "v1", "HEAD~1"]);
    git(&root, &["tag", "-am", "v2", "v2", "v1"]);
    git(&root, &["checkout", "-qb", "side", "HEAD~2"]);
    commit("four");
    git(&root, &["merge", "-q", "--no-edit", "v1"]);
    git(&root, &["branch", "-q", "--track", "follows", "side"]);
    commit("five");
    fs::write(root.join("five"), "changed").unwrap();
    git(&root, &["stash", "-q"]);
    let asked = |typed: &str| {
        let told = output(&root, &["rev-parse", "--verify", "-q", typed]).unwrap();
        String::from_utf8(told).unwrap().trim().to_owned()
    };
    let short = asked("HEAD~1").chars().take(7).collect::<String>();
    let described = format!("v1-9-g{short}");
    let found = |typed: &str| {
        let repository = repo::find(&root).unwrap();
        let objects = object::Objects::of(repository.common());
        let commits = revision::commits(&repository, &objects, typed);
        commits.map(|all| {
            let mut names: Vec<String> = all
                .iter()
                .map(|commit| automode_core::hex(&commit.name))
                .collect();
            names.sort();
            names
        })
    };
    for packed in [false, true] {
        if packed {
            git(&root, &["gc", "-q"]);
            git(&root, &["pack-refs", "--all"]);
        }
        for typed in [
            "HEAD",
            "@",
            "HEAD~1",
            "HEAD~",
            "HEAD^",
            "HEAD~1^2",
            "HEAD^^2~1",
            "side",
            "refs/heads/side",
            "heads/side",
            "v1",
            "v2",
            "v2^{}",
            "v1^{commit}",
            "v1~1",
            "@{-1}",
            "@{1}",
            "HEAD@{2}",
            "follows@{u}",
            "stash",
            "stash@{0}",
            "stash^",
            "ORIG_HEAD",
            &short,
            &described,
        ] {
            let name = asked(&format!("{typed}^{{commit}}"));
            let expected: Vec<String> =
                [name].into_iter().filter(|name| !name.is_empty()).collect();
            assert_eq!(found(typed), Some(expected), "{typed}");
        }
        let range = output(&root, &["rev-list", "v1..side"]).unwrap();
        let range = String::from_utf8(range).unwrap();
        let mut expected: Vec<String> = range.lines().map(str::to_owned).collect();
        expected.push(asked("v1^{commit}"));
        expected.sort();
        assert_eq!(found("v1..side"), Some(expected));
        for nothing in ["none", "none~1", "abcdef1", "none..HEAD", "follows-none"] {
            assert_eq!(found(nothing), Some(Vec::new()), "{nothing}");
        }
        for unseen in [
            "HEAD@{yesterday}",
            "HEAD^{/two}",
            ":/two",
            "HEAD^!",
            "HEAD^-",
        ] {
            assert_eq!(found(unseen), None, "{unseen}");
        }
    }
}
