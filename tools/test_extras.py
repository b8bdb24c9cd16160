"""Install the wheel with one extra at a time, each into a new environment, and ask one question that needs the extra.

python tools/test_extras.py dist [EXTRA...]

An extra that needs a server is asked for one that is not there: it must say so, and not that a package is missing.
Each question is asked without the extra first, and must then be answered with how to install it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tools.test_wheel import wheel_for  # noqa: E402

# Each question runs in a folder with these files.
MAKE_ROWS = """
import sqlite3, zipfile
rows = [(900, 'eu') if i % 7 == 0 else (80, 'us') for i in range(500)]
open('rows.csv', 'w').write('took,region\\n' + ''.join(f'{took},{region}\\n' for took, region in rows))
with sqlite3.connect('rows.db') as db:
    db.execute('CREATE TABLE rows (took INTEGER, region TEXT)')
    db.executemany('INSERT INTO rows VALUES (?, ?)', rows)
main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
package = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
sheet, cell = '<sheet name="rows" sheetId="1" r:id="r1"/>', '<c t="str"><v>{}</v></c>'.format
target = f'<Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/>'
begin = f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
cells = ''.join(f'<row>{cell(a)}{cell(b)}</row>' for a, b in [('took', 'region'), *rows])
with zipfile.ZipFile('rows.xlsx', 'w') as book:
    book.writestr('_rels/.rels', f'<Relationships {package}>{begin}</Relationships>')
    book.writestr('xl/workbook.xml', f'<workbook {main} xmlns:r="{office}"><sheets>{sheet}</sheets></workbook>')
    book.writestr('xl/_rels/workbook.xml.rels', f'<Relationships {package}>{target}</Relationships>')
    book.writestr('xl/worksheets/sheet1.xml', f'<worksheet {main}><sheetData>{cells}</sheetData></worksheet>')
"""
ARROW = """
import pyarrow.csv, pyarrow.parquet
from wmsketch.cli.main import main
pyarrow.parquet.write_table(pyarrow.csv.read_csv('rows.csv'), 'rows.parquet')
main(['explain', 'rows.parquet', '--outlier', 'took>500'])
"""
PLOT = """
import subprocess, sys
command = [sys.executable, '-m', 'wmsketch', 'explain', 'rows.csv', '--outlier', 'took>500', '--plot', 'rows.png']
if subprocess.run(command).returncode == 0:
    print(open('rows.png', 'rb').read(4))
"""
SERVE = """
import subprocess, sys, urllib.request
command = [sys.executable, '-m', 'wmsketch', 'serve', 'jobs', '--port', '0']
service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
try:
    line = service.stdout.readline()
    print(line, urllib.request.urlopen(line.split()[-1] + '/healthz').read().decode() if 'listens' in line else '')
finally:
    service.terminate()
"""
SPARK = """
from pyspark.sql import SparkSession
from wmsketch.spark import WMSketchClassifier
spark = SparkSession.builder.master('local[1]').config('spark.ui.enabled', False).getOrCreate()
rows = spark.read.csv('rows.csv', header=True, inferSchema=True).selectExpr('region', 'took > 500 AS label')
print(WMSketchClassifier(budget='8KiB').fit(rows).top(1))
"""
MCP = "from wmsketch.mcp.server import make_server; print(type(make_server(__import__('pathlib').Path('.'))).__name__)"
EXPLAIN = ("wmsketch", "explain", "--outlier", "took>500")
# The question, and a word of the answer.
QUESTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "arrow": (("python", "-c", ARROW), "region=eu"),
    "excel": ((*EXPLAIN, "rows.xlsx"), "region=eu"),
    "plot": (("python", "-c", PLOT), "PNG"),
    "sqlite": ((*EXPLAIN, "sqlite:///rows.db?query=SELECT * FROM rows"), "region=eu"),
    "duckdb": ((*EXPLAIN, "duckdb:SELECT * FROM 'rows.csv'"), "region=eu"),
    "kafka": ((*EXPLAIN, "kafka://127.0.0.1:9/rows"), "127.0.0.1:9"),
    "redis": ((*EXPLAIN, "redis://127.0.0.1:9/rows"), "127.0.0.1:9"),
    "postgres": ((*EXPLAIN, "postgresql://127.0.0.1:9/shop?query=SELECT 1"), "127.0.0.1"),
    "remote": ((*EXPLAIN, "s3://bucket/rows.csv?endpoint_override=127.0.0.1:9&scheme=http"), "bucket"),
    "serve": (("python", "-c", SERVE), "ok"),
    "reproduce": (("wmsketch", "reproduce", "memory", "--quick", "--quiet"), "AWM-Sketch"),
    "mcp": (("python", "-c", MCP), "MCP"),
    "spark": (("python", "-c", SPARK), "region"),
}  # fmt: skip


def environment(work: Path) -> Path:
    """Return the Python of a new environment."""
    python = work / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True)
    return python


def install(python: Path, what: str) -> None:
    """Install something into an environment, as wheels; Spark for Python is not published as one."""
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:")
    subprocess.run([*pip, "--no-binary=pyspark", what], check=True)


def ask(python: Path, work: Path, question: tuple[str, ...]) -> str:
    """Return all that the question prints."""
    env = {**os.environ, "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}", "PYSPARK_PYTHON": str(python)}
    done = subprocess.run(question, cwd=work, env=env, capture_output=True, text=True, timeout=600, errors="replace")
    return done.stdout + done.stderr


def main(folder: Path, extras: list[str]) -> None:
    """Ask all questions; end with an error if an extra does not work alone."""
    wheel = wheel_for(folder, f"{sys.version_info.major}.{sys.version_info.minor}")
    failed = []
    for extra in extras:
        question, word = QUESTIONS[extra]
        work = ROOT / "build" / "test-extras" / extra
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        python = environment(work)
        subprocess.run([python, "-c", MAKE_ROWS], cwd=work, check=True)
        install(python, str(wheel))
        without = ask(python, work, question)
        install(python, f"{wheel}[{extra}]")
        answer = ask(python, work, question)
        hint = f"wmsketch[{extra}]" in without or "No module named" in without
        good = hint and word in answer and "pip install" not in answer
        print(f"{extra:10} {'works alone' if good else 'FAILED'}", flush=True)
        if not good:
            failed.append(extra)
            print(f"without: {without[-1500:]}\nwith: {answer[-1500:]}", flush=True)
        shutil.rmtree(work / "venv")
    sys.exit(f"do not work alone: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), sys.argv[2:] or list(QUESTIONS))
