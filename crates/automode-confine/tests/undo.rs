//! Undo brings back what a call lost, and loses nothing by doing so.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use automode_confine::undo::{Change, SnapshotLimits, SnapshotPlan, TakeError, UndoStore};

struct World {
    _temp: tempfile::TempDir,
    project: PathBuf,
    state: PathBuf,
}

fn world() -> World {
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().canonicalize().unwrap();
    let project = top.join("app");
    fs::create_dir(&project).unwrap();
    World {
        _temp: temp,
        project,
        state: top.join("state"),
    }
}

impl World {
    fn store(&self) -> UndoStore {
        UndoStore::new(&self.state)
    }

    fn take(&self, paths: &[&str]) -> Result<(), TakeError> {
        let plan = SnapshotPlan {
            paths: paths.iter().map(|path| self.project.join(path)).collect(),
            ..SnapshotPlan::default()
        };
        self.store()
            .take("c1", &self.project, "rm notes.txt", &plan, generous())
            .map(|_| ())
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.project.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.project.join(name)).ok()
    }

    fn restore(&self) -> Vec<Change> {
        self.store().restoring("c1").unwrap().restore()
    }

    fn all(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        walk(&self.project, &mut found);
        found
    }
}

/// The machine that runs tests is slower than the one that a person waits for.
fn generous() -> SnapshotLimits {
    SnapshotLimits {
        time: Duration::from_secs(30),
        ..SnapshotLimits::default()
    }
}

fn walk(directory: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            walk(&entry.path(), found);
        } else {
            found.insert(
                entry.path(),
                fs::read_to_string(entry.path()).unwrap_or_default(),
            );
        }
    }
}

#[test]
fn a_removed_file_returns_with_its_mode() {
    let world = world();
    world.write("notes.txt", "mine");
    fs::set_permissions(
        world.project.join("notes.txt"),
        fs::Permissions::from_mode(0o640),
    )
    .unwrap();
    world.take(&["notes.txt"]).unwrap();
    fs::remove_file(world.project.join("notes.txt")).unwrap();
    assert!(world.store().seal("c1").unwrap());
    assert_eq!(
        world.store().restoring("c1").unwrap().preview(),
        [Change::Restored(world.project.join("notes.txt"))]
    );
    assert_eq!(world.read("notes.txt"), None, "a preview touches nothing");
    assert_eq!(
        world.restore(),
        [Change::Restored(world.project.join("notes.txt"))]
    );
    assert_eq!(world.read("notes.txt").as_deref(), Some("mine"));
    let mode = world
        .project
        .join("notes.txt")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(
        world.restore(),
        [Change::Unchanged(world.project.join("notes.txt"))]
    );
    assert_eq!(world.all().len(), 1);
}

#[test]
fn newer_work_stays_and_the_old_version_goes_beside() {
    let world = world();
    world.write("a", "old");
    world.take(&["a"]).unwrap();
    world.write("a", "by the call");
    world.store().seal("c1").unwrap();
    world.write("a", "newer");
    assert_eq!(
        world.restore(),
        [Change::Beside(
            world.project.join("a"),
            world.project.join("a.undo-c1")
        )]
    );
    assert_eq!(world.read("a").as_deref(), Some("newer"));
    assert_eq!(world.read("a.undo-c1").as_deref(), Some("old"));
    let _ = world.restore();
    assert_eq!(world.all().len(), 2, "a second time adds nothing");
}

#[test]
fn without_a_seal_everything_goes_beside() {
    let world = world();
    world.write("a", "old");
    world.write("gone", "old too");
    world.write("same", "same");
    world.take(&["a", "gone", "same"]).unwrap();
    world.write("a", "by the call, or by the person");
    fs::remove_file(world.project.join("gone")).unwrap();
    let _ = world.restore();
    assert_eq!(
        world.read("a").as_deref(),
        Some("by the call, or by the person")
    );
    assert_eq!(world.read("a.undo-c1").as_deref(), Some("old"));
    assert_eq!(world.read("gone"), None);
    assert_eq!(world.read("gone.undo-c1").as_deref(), Some("old too"));
    assert_eq!(world.read("same.undo-c1"), None);
}

#[test]
fn a_tree_returns_and_what_the_call_made_stays() {
    let world = world();
    fs::create_dir_all(world.project.join("data/deep")).unwrap();
    world.write("data/one", "1");
    world.write("data/deep/two", "2");
    symlink("one", world.project.join("data/link")).unwrap();
    world.take(&["data"]).unwrap();
    fs::remove_dir_all(world.project.join("data")).unwrap();
    fs::create_dir(world.project.join("data")).unwrap();
    world.write("data/made", "by the call");
    world.store().seal("c1").unwrap();
    let changes = world.restore();
    assert!(
        changes.contains(&Change::Made(world.project.join("data/made"))),
        "{changes:?}"
    );
    assert_eq!(world.read("data/one").as_deref(), Some("1"));
    assert_eq!(world.read("data/deep/two").as_deref(), Some("2"));
    assert_eq!(world.read("data/link").as_deref(), Some("1"));
    assert_eq!(world.read("data/made").as_deref(), Some("by the call"));
}

/// A directory that was kept and then removed by the call.
fn world_without_data() -> World {
    let world = world();
    fs::create_dir(world.project.join("data")).unwrap();
    world.write("data/one", "1");
    world.take(&["data"]).unwrap();
    fs::remove_dir_all(world.project.join("data")).unwrap();
    world.store().seal("c1").unwrap();
    world
}

#[test]
fn a_file_in_place_of_a_directory_stays() {
    let world = world_without_data();
    world.write("data", "newer work");
    let _ = world.restore();
    assert_eq!(world.read("data").as_deref(), Some("newer work"));
    let kept: Vec<_> = world
        .all()
        .into_values()
        .filter(|text| text == "1")
        .collect();
    assert_eq!(kept.len(), 1, "{:?}", world.all());
}

#[test]
fn a_link_on_the_way_leads_nowhere() {
    let world = world_without_data();
    let outside = world.state.join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, world.project.join("data")).unwrap();
    let changes = world.restore();
    assert!(
        changes
            .iter()
            .any(|change| matches!(change, Change::Failed(..))),
        "{changes:?}"
    );
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn what_is_too_much_is_not_promised() {
    let world = world();
    for number in 0..20 {
        world.write(&format!("f{number}"), "0123456789");
    }
    let plan = SnapshotPlan {
        paths: vec![world.project.clone()],
        ..SnapshotPlan::default()
    };
    let check = |limits: SnapshotLimits, expected: &str| {
        let error = world
            .store()
            .take("c1", world.project.parent().unwrap(), "x", &plan, limits)
            .unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(world.store().list().unwrap().is_empty());
    };
    check(
        SnapshotLimits {
            files: 5,
            ..generous()
        },
        "more than 5 files",
    );
    check(
        SnapshotLimits {
            bytes: 55,
            ..generous()
        },
        "more than 55 bytes",
    );
    check(
        SnapshotLimits {
            time: Duration::ZERO,
            ..generous()
        },
        "it takes longer than 0 ms",
    );
}

#[test]
fn only_files_of_the_project_are_kept() {
    let world = world();
    fs::create_dir_all(&world.state).unwrap();
    fs::write(world.state.join("secret"), "x").unwrap();
    symlink(&world.state, world.project.join("way")).unwrap();
    for path in ["../state/secret", "way/secret", "/etc/passwd"] {
        let error = world.take(&[path]).unwrap_err();
        assert!(matches!(error, TakeError::Outside(_)), "{path}: {error}");
    }
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        world.project.join("pipe"),
        rustix::fs::Mode::RWXU,
    )
    .unwrap();
    assert!(matches!(world.take(&["pipe"]), Err(TakeError::Kind(_))));
    assert!(matches!(world.take(&[]), Err(TakeError::Nothing)));
}

fn git(world: &World, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b.example"])
        .args(arguments)
        .current_dir(&world.project)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(done.success(), "{arguments:?}");
}

#[test]
fn changes_that_git_does_not_have_survive_a_checkout_and_a_clean() {
    let world = world();
    git(&world, &["init", "-q"]);
    world.write("tracked", "one");
    git(&world, &["add", "tracked"]);
    git(&world, &["commit", "-qm", "one"]);
    world.write("tracked", "two");
    fs::create_dir(world.project.join("new dir")).unwrap();
    world.write("new dir/untracked \"x\"", "mine");
    git(&world, &["branch", "side"]);
    let plan = SnapshotPlan {
        changed_in: vec![world.project.clone()],
        ..SnapshotPlan::default()
    };
    world
        .store()
        .take("c1", &world.project, "x", &plan, generous())
        .unwrap();
    git(&world, &["checkout", "-q", "--", "."]);
    git(&world, &["clean", "-fdq"]);
    git(&world, &["branch", "-q", "-D", "side"]);
    world.store().seal("c1").unwrap();
    assert_eq!(world.read("tracked").as_deref(), Some("one"));
    let changes = world.restore();
    assert_eq!(world.read("tracked").as_deref(), Some("two"));
    assert_eq!(
        world.read("new dir/untracked \"x\"").as_deref(),
        Some("mine")
    );
    let told = changes
        .iter()
        .filter(|change| matches!(change, Change::Told(text) if text.contains("refs/heads/side")));
    assert_eq!(told.count(), 1, "{changes:?}");
}

#[test]
fn the_store_is_private_and_forgets() {
    let world = world();
    world.write("a", "secret");
    world.take(&["a"]).unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let directory = world.state.join("undo/c1");
    assert_eq!(mode(&directory), 0o700);
    for entry in fs::read_dir(directory.join("blobs")).unwrap().flatten() {
        assert_eq!(mode(&entry.path()), 0o600);
    }
    assert_eq!(world.store().list().unwrap().len(), 1);
    assert_eq!(world.store().expire().unwrap(), 0);
    world.store().forget("c1").unwrap();
    assert!(world.store().restoring("c1").is_err());
}

/// A repository with one commit on `main`, and the plan of a command that throws changes away.
fn repository() -> World {
    let world = world();
    git(&world, &["init", "-q", "-b", "main"]);
    world.write("tracked", "one");
    world.write(".gitignore", "local*\nbuild\n");
    git(&world, &["add", "."]);
    git(&world, &["commit", "-qm", "one"]);
    world
}

fn discarding(world: &World, taken_from: &[&str]) -> Result<(), TakeError> {
    let plan = SnapshotPlan {
        changed_in: vec![world.project.clone()],
        taken_from: taken_from.iter().map(|&word| word.to_owned()).collect(),
        ..SnapshotPlan::default()
    };
    world
        .store()
        .take("c1", &world.project, "git …", &plan, generous())
        .map(|_| ())
}

/// Files whose changes git was told to overlook are in no list of changes, and are written over.
#[test]
fn what_git_was_told_to_overlook_is_kept() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let world = repository();
        git(&world, &["update-index", flag, "tracked"]);
        world.write("tracked", "mine");
        discarding(&world, &[]).unwrap();
        // What `git checkout -f` leaves of it, whatever this version of git does with the flag.
        world.write("tracked", "one");
        world.store().seal("c1").unwrap();
        let changes = world.restore();
        assert_eq!(
            world.read("tracked").as_deref(),
            Some("mine"),
            "{flag}: {changes:?}"
        );
    }
}

/// A repository whose branch `side` has files that are ignored on `main`, with other content.
fn crossing(path: &str) -> World {
    let world = repository();
    git(&world, &["checkout", "-q", "-b", "side"]);
    let place = world.project.join(path);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(&place, "theirs").unwrap();
    git(&world, &["add", "-f", path]);
    git(&world, &["commit", "-qm", "side"]);
    git(&world, &["checkout", "-q", "main"]);
    world
}

#[test]
fn ignored_files_that_another_branch_has_are_kept() {
    let check = |theirs: &str, mine: &str, word: &str| {
        let world = crossing(theirs);
        let place = world.project.join(mine);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(&place, "mine").unwrap();
        git(
            &world,
            &["update-ref", "refs/remotes/origin/elsewhere", "side"],
        );
        discarding(&world, &["-q", word]).unwrap_or_else(|error| panic_with(&error, theirs));
        git(&world, &["checkout", "-q", "-f", "side"]);
        world.store().seal("c1").unwrap();
        assert_ne!(
            world.read(mine).as_deref(),
            Some("mine"),
            "{theirs}: nothing was lost"
        );
        let changes = world.restore();
        let kept = world.all().values().filter(|text| *text == "mine").count();
        assert_eq!(kept, 1, "{theirs} over {mine} by {word}: {changes:?}");
    };
    check("local.env", "local.env", "side");
    check("build", "build/local/notes.txt", "side");
    check("local/deep/file", "local", "side");
    check("local.env", "local.env", "elsewhere");
    check("local.env", "local.env", "side~0");
}

#[expect(clippy::panic, reason = "a test fails by panicking")]
fn panic_with(error: &TakeError, case: &str) {
    panic!("{case}: {error}")
}

#[test]
fn a_version_that_only_the_index_has_is_told() {
    let world = repository();
    world.write("tracked", "staged");
    git(&world, &["add", "tracked"]);
    world.write("tracked", "three");
    discarding(&world, &[]).unwrap();
    git(&world, &["reset", "-q", "--hard"]);
    world.store().seal("c1").unwrap();
    let changes = world.restore();
    assert_eq!(world.read("tracked").as_deref(), Some("three"));
    let index = changes.iter().find_map(|change| match change {
        Change::Told(text) => text.split('\'').nth(1).map(str::to_owned),
        _ => None,
    });
    let shown = Command::new("git")
        .args(["show", ":tracked"])
        .env("GIT_INDEX_FILE", index.unwrap())
        .current_dir(&world.project)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&shown.stdout), "staged");
}

/// A person saves a file while the call still runs: the seal takes it for the call's own.
#[test]
fn newer_work_that_the_seal_came_too_late_for_can_be_brought_back() {
    let world = world();
    world.write("notes.txt", "old");
    world.take(&["notes.txt"]).unwrap();
    world.write("notes.txt", "a person's, while the call ran");
    world.store().seal("c1").unwrap();
    let (_, kept) = world.store().restore("c1").unwrap();
    assert_eq!(world.read("notes.txt").as_deref(), Some("old"));
    let kept = kept.unwrap();
    let (_, again) = world.store().restore(&kept).unwrap();
    assert_eq!(
        world.read("notes.txt").as_deref(),
        Some("a person's, while the call ran")
    );
    assert_eq!(again.as_deref(), Some("c1-undone-1-undone-1"));
    assert_eq!(
        world.store().get(&kept).unwrap().undoes.as_deref(),
        Some("c1")
    );
}

#[test]
fn files_return_into_a_directory_that_nobody_may_write() {
    let world = world();
    fs::create_dir(world.project.join("d")).unwrap();
    world.write("d/x", "mine");
    let mode =
        |mode| fs::set_permissions(world.project.join("d"), fs::Permissions::from_mode(mode));
    mode(0o555).unwrap();
    world.take(&["d"]).unwrap();
    mode(0o755).unwrap();
    fs::remove_dir_all(world.project.join("d")).unwrap();
    world.store().seal("c1").unwrap();
    let changes = world.restore();
    assert_eq!(world.read("d/x").as_deref(), Some("mine"), "{changes:?}");
    let found = world
        .project
        .join("d")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(found & 0o777, 0o555);
    mode(0o755).unwrap();
}

#[test]
fn a_repository_that_would_run_a_program_is_not_looked_at() {
    let world = repository();
    world.write(".gitattributes", "* filter=evil\n");
    git(&world, &["config", "filter.evil.clean", "touch ran; cat"]);
    world.write("tracked", "two");
    assert!(matches!(discarding(&world, &[]), Err(TakeError::Git(_))));
    assert!(!world.project.join("ran").exists());
}

#[test]
fn git_is_not_waited_for_longer_than_a_person_would() {
    let world = repository();
    world.write("tracked", "two");
    let plan = SnapshotPlan {
        changed_in: vec![world.project.clone()],
        ..SnapshotPlan::default()
    };
    let limits = SnapshotLimits {
        time: Duration::ZERO,
        ..SnapshotLimits::default()
    };
    let error = world.store().take("c1", &world.project, "x", &plan, limits);
    assert!(matches!(error, Err(TakeError::Slow | TakeError::Time(_))));
    assert_eq!(world.store().list().unwrap().len(), 0);
}

#[test]
fn a_name_that_cannot_be_written_down_is_not_promised_and_leaves_nothing() {
    use std::os::unix::ffi::OsStrExt;
    let world = world();
    let name = world.project.join(std::ffi::OsStr::from_bytes(b"\xff\xfe"));
    fs::write(&name, "mine").unwrap();
    let plan = SnapshotPlan {
        paths: vec![name],
        ..SnapshotPlan::default()
    };
    assert!(
        world
            .store()
            .take("c1", &world.project, "x", &plan, generous())
            .is_err()
    );
    assert!(!world.state.join("undo/c1").exists());
}
