// Copies what web/vendor/vendored.json names from the node_modules of a folder to web/vendor. A file whose hash is not the one that is
// written down is an error: write down the new one after you have looked at what changed.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const folder = "web/vendor/";
const packages = `${process.argv[2]}/node_modules/`;
for (const one of JSON.parse(readFileSync(`${folder}vendored.json`, "utf8"))) {
  const text = readFileSync(`${packages}${one.package}/${one.from}`);
  const hash = createHash("sha256").update(text).digest("hex");
  if (hash !== one.sha256) {
    console.error(`${one.package} ${one.version}: ${one.from} has the hash ${hash}, not ${one.sha256}`);
    process.exitCode = 1;
    continue;
  }
  writeFileSync(folder + one.file, text);
}
