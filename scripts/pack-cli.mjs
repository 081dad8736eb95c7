// `npm run pack:cli [FOLDER]`: packs only the command as an npm package, in one file without dependencies, for laptops and CI.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { root } from "./lib/node.mjs";

const README = `# spillway-cli

The command line of Spillway, the control plane that lets a company's own GPU cluster spill over into the cloud.

    spillway login --url https://spillway.example.com
    spillway help

It needs Node 20.11 or newer and no installation of Spillway. \`simulate\`, \`plan\`, \`backup\`, \`restore\` and \`policy lint --offline\` run
in an installation only.
`;

/**
 * Bundles the command and packs it.
 * @param {string} folder where the tarball is written; created if missing
 * @returns {Promise<string>} the tarball
 */
export async function packCli(folder) {
	const { version, license, description } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
	const staging = path.join(folder, "spillway-cli");
	rmSync(staging, { recursive: true, force: true });
	mkdirSync(path.join(staging, "cli"), { recursive: true });
	// Same depth below the package root as in the clone, because files are found by relative path.
	const command = path.join(staging, "cli/spillway.mjs");
	await build({
		absWorkingDir: root,
		entryPoints: ["cli/main.ts"],
		outfile: command,
		bundle: true,
		platform: "node",
		format: "esm",
		target: "node20",
		// CommonJS packages call require.
		banner: { js: `#!/usr/bin/env node\nimport { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);` },
		legalComments: "linked",
		logLevel: "warning",
	});
	chmodSync(command, 0o755);
	copyFileSync(path.join(root, "LICENSE"), path.join(staging, "LICENSE"));
	writeFileSync(path.join(staging, "README.md"), README);
	const manifest = {
		...{ name: "spillway-cli", version, description, license, type: "module" },
		engines: { node: ">=20.11" },
		bin: { spillway: "cli/spillway.mjs" },
		files: ["cli"],
	};
	writeFileSync(path.join(staging, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
	const [packed] = JSON.parse(execFileSync("npm", ["pack", "--json", "--pack-destination", folder], { cwd: staging, encoding: "utf8" }));
	return path.join(folder, packed.filename);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const folder = path.resolve(process.argv[2] ?? path.join(root, "dist"));
	mkdirSync(folder, { recursive: true });
	console.log(await packCli(folder));
}
