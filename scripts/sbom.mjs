// `npm run sbom`: a CycloneDX bill of materials of the packages that Spillway ships, in dist/sbom.json.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const MAX_BYTES = 64 * 1024 ** 2;
const root = path.resolve(import.meta.dirname, "..");
const file = path.join(root, "dist/sbom.json");

const text = execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only"], {
	cwd: root,
	encoding: "utf8",
	maxBuffer: MAX_BYTES,
	stdio: ["ignore", "pipe", "inherit"],
});
const { bomFormat, components } = JSON.parse(text);
if (bomFormat !== "CycloneDX" || components.length === 0) throw new Error("npm sbom wrote no CycloneDX document.");
mkdirSync(path.dirname(file), { recursive: true });
writeFileSync(file, text);
console.log(`${path.relative(root, file)}: ${components.length} components`);
