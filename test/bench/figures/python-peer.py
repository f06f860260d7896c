"""What most people would write: a report over HTTP, read with json and written with csv."""

import csv
import json
import sys
import urllib.request

url, path, *columns = sys.argv[1:]
with urllib.request.urlopen(url) as answer:
    report = json.load(answer)
with open(path, "w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(report["data"])
