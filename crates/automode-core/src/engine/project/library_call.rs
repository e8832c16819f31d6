//! Calls of Python into libraries that nobody followed: which may be anything.

use automode_shell::{Gap, GapKind};

use super::kind;

/// A call into a library, by a name that stands in the file.
pub(super) fn is_library_call(gap: &Gap) -> bool {
    /// Names behind which any code may stand.
    const OPEN: &[&str] = &[
        "import_module",
        "loads",
        "load",
        "fork",
        "setattr",
        "getattr",
        "globals",
        "vars",
        "remove",
        "unlink",
        "rmtree",
        "rmdir",
        "rename",
        "replace_file",
        "truncate",
        "chmod",
        "chown",
        "kill",
        "connect",
        "urlopen",
        "urlretrieve",
        "socket",
    ];
    let GapKind::Call { name, .. } = &gap.kind else {
        return false;
    };
    let last = name.rsplit(['.', ' ']).next().unwrap_or_default();
    !OPEN.contains(&last) && !is_run_by_name(gap)
}

/// Modules that start programs, run text, or have power over other machines.
const POWERFUL: &[&str] = &[
    "Pyro5",
    "aioboto3",
    "aiodocker",
    "ansible",
    "ansible_runner",
    "asyncssh",
    "bdb",
    "boto3",
    "builtins",
    "cProfile",
    "cffi",
    "cloudpickle",
    "code",
    "codeop",
    "crontab",
    "delegator",
    "dill",
    "distutils",
    "docker",
    "dulwich",
    "envoy",
    "execnet",
    "fabric",
    "fs",
    "fsspec",
    "gcsfs",
    "git",
    "imp",
    "invoke",
    "jsonpickle",
    "keyring",
    "kubernetes",
    "marshal",
    "nntplib",
    "papermill",
    "paramiko",
    "pdb",
    "pexpect",
    "pip",
    "plumbum",
    "podman",
    "profile",
    "pssh",
    "pty",
    "ptyprocess",
    "py",
    "pycurl",
    "pygit2",
    "pyinfra",
    "pysftp",
    "rpyc",
    "runpy",
    "s3fs",
    "sarge",
    "scp",
    "secretstorage",
    "send2trash",
    "sh",
    "shellous",
    "smbclient",
    "telnetlib",
    "trace",
    "winrm",
    "zipimport",
];

/// Imports of modules that nobody needs but for what they can do.
pub(super) fn powerful_imports(path: &str, text: &str) -> Vec<String> {
    if !matches!(kind::ending(path), "py" | "pyw") {
        return Vec::new();
    }
    let statements = text.split(['\n', ';']).map(str::trim);
    statements
        .filter_map(|line| {
            let names = line
                .strip_prefix("import ")
                .or_else(|| line.strip_prefix("from "))?;
            let names = names.split(" import ").next().unwrap_or_default();
            let module = |name: &str| name.trim().split(['.', ' ']).next().map(str::to_owned);
            let mut modules = names.split(',').filter_map(module);
            modules.find(|module| POWERFUL.contains(&module.as_str()))
        })
        .map(|module| format!("uses `{module}`, which can do what is not seen here"))
        .collect()
}

/// A call, an import or a program that may be anything, whoever calls for it.
pub(super) fn is_run_by_name(gap: &Gap) -> bool {
    /// Calls that run what they are given.
    const RUNS: &[&str] = &[
        "eval",
        "exec",
        "compile",
        "__import__",
        "run_path",
        "run_module",
        "runsource",
        "runcode",
        "exec_module",
        "load_module",
        "load_model",
        "spec_from_file_location",
        "SourceFileLoader",
        "SourcelessFileLoader",
        "ExtensionFileLoader",
        "zipimporter",
        "fileConfig",
        "methodcaller",
        "attrgetter",
        "CDLL",
        "cdll",
        "windll",
        "PyDLL",
        "dlopen",
        "system",
        "popen",
        "Popen",
        "spawn",
        "posix_spawn",
        "execv",
        "execve",
        "execvp",
        "create_subprocess_shell",
        "create_subprocess_exec",
        "__subclasses__",
        "__globals__",
        "__builtins__",
        "remove_tree",
        "send2trash",
        "run_process",
        "open_process",
    ];
    match &gap.kind {
        GapKind::Call { name, .. } => {
            let module = name.strip_prefix("import ").unwrap_or(name);
            let module = module.split(['.', '(', ' ']).next().unwrap_or_default();
            let last = name.rsplit(['.', ' ']).next().unwrap_or_default();
            RUNS.contains(&last)
                || POWERFUL.contains(&module)
                // A way round the name: `os.__dict__["system"]`, `vars(os)["system"]`.
                || ["__dict__", "__globals__", "__builtins__", "__subclasses__", "vars(", "globals("]
                    .iter()
                    .any(|way| name.contains(way))
                || name.starts_with("sys.path ")
                || name.starts_with("__path__")
        }
        // What the budget did not reach was not read.
        GapKind::DynamicProgram | GapKind::Budget => true,
        GapKind::Unseen(_)
        | GapKind::Syntax(_)
        | GapKind::Program(_)
        | GapKind::Argument { .. }
        | GapKind::DynamicWord { .. }
        | GapKind::Refused(_) => false,
    }
}
