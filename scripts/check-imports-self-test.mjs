// Tests the import rules: adds one violation per rule to a copy of the project and expects its error, adds allowed code and
// expects no error, and expects a failure if there is nothing to check.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { ENTRANCES, HOUSE } from "./house.mjs";
import { root } from "./lib/node.mjs";

const CHECKER = fileURLToPath(new URL("./check-imports.mjs", import.meta.url));

/** A file in the room for a planted violation. Rooms that are single files are tested only as targets. */
const folderOf = (name) => HOUSE[name].at.find((place) => place.endsWith("/"));
const specifierOf = (file) => `#${file}`;

/** Written by hand rather than derived from the table, so that mistakes in the table are detected as well. */
const FORBIDDEN = [
	...["domain", "policy", "db", "services", "env"].map((to) => ["kernel", to]),
	...["policy", "scheduling", "db", "providers", "env"].map((to) => ["domain", to]),
	...["accounting", "scheduling", "db", "rates", "providers", "env"].map((to) => ["policy", to]),
	...["policy", "scheduling", "db", "rates", "env"].map((to) => ["accounting", to]),
	...["db", "services", "providers", "rates", "simulation", "env"].map((to) => ["scheduling", to]),
	...["db", "services", "providers", "controlLoop"].map((to) => ["rates", to]),
	...["db", "services", "emulators", "rates", "controlLoop", "api"].map((to) => ["providers", to]),
	...["db", "services", "providers", "controlLoop"].map((to) => ["simulation", to]),
	...["providers", "db", "services", "controlLoop", "api"].map((to) => ["emulators", to]),
	...["policy", "db", "services", "providers", "env", "cli"].map((to) => ["agent", to]),
	...["services", "policy", "scheduling", "providers", "rates", "controlLoop", "api"].map((to) => ["db", to]),
	...["controlLoop", "api", "auth", "emulators", "providers"].map((to) => ["services", to]),
	...["api", "emulators", "cli", "components"].map((to) => ["controlLoop", to]),
	...["db", "scheduling", "policy", "providers", "controlLoop", "rates"].map((to) => ["api", to]),
	...["services", "db", "scheduling", "providers", "controlLoop"].map((to) => ["app", to]),
	...["api", "services", "db", "env", "policy", "auth"].map((to) => ["components", to]),
	...["services", "db", "api", "env", "agent", "components"].map((to) => ["cli", to]),
	...["kernel", "services", "cli"].map((to) => ["examples", to]),
];

const IMPURE = {
	"Date.now": "export const planted = () => Date.now();",
	"new Date()": "export const planted = () => new Date();",
	"Math.random": "export const planted = () => Math.random();",
	setTimeout: "export const planted = () => setTimeout(() => undefined, 1);",
	"async functions": "export async function planted() {}",
	await: "export const planted = await 1;",
	Promise: "export const planted: Promise<number> | undefined = undefined;",
	process: "export const planted = process.pid;",
	console: 'console.log("planted");',
	"node:fs": 'import { readFileSync } from "node:fs";\nexport const planted = readFileSync;',
};
/** Names that only look impure and must not be reported. */
const PURE =
	"export const planted = (job: { process: string; console: number }) => [job.process, new Date(0), Math.max(1, 2), { setTimeout: 1 }];";

/** @returns {number} exit code */
export function selfTest() {
	const base = mkdtempSync(path.join(os.tmpdir(), "spillway-import-rules-"));
	try {
		const plants = [...importPlants(), ...purityPlants(), ...otherPlants()];
		cpSync(path.join(root, "package.json"), path.join(base, "package.json"));
		const empty = check(base);
		const problems = empty.status === 0 ? ["a project without sources passed the check"] : [];
		if (!empty.stderr.includes("saw nothing")) problems.push("a project without sources was not called one");
		for (const { file, text } of plants) {
			mkdirSync(path.dirname(path.join(base, file)), { recursive: true });
			writeFileSync(path.join(base, file), `${text}\n`);
		}
		problems.push(...compare(plants, check(base)));
		for (const problem of problems) console.error(`Import rules, self-test: ${problem}`);
		const wrong = plants.filter((plant) => plant.error).length;
		if (problems.length === 0)
			console.log(`Import rules, self-test: ${wrong} planted violations met, ${plants.length - wrong} allowed files left alone.`);
		return problems.length === 0 ? 0 : 1;
	} finally {
		rmSync(base, { recursive: true, force: true });
	}
}

const check = (base) => spawnSync(process.execPath, [CHECKER, base], { encoding: "utf8" });

function compare(plants, { status, stderr }) {
	const problems = status === 0 ? ["planted violations passed the check"] : [];
	for (const { file, error } of plants) {
		const said = stderr.split("\n").filter((line) => line.startsWith(`${file}:`));
		if (error && !said.some((line) => line.includes(error)))
			problems.push(`${file} should say "${error}", but says: ${said.join(" | ") || "nothing"}`);
		if (!error && said.length > 0) problems.push(`${file} is allowed, but reports: ${said.join(" | ")}`);
	}
	return problems;
}

/** Every pair of rooms that is forbidden, by the hand-written list or the table, and every pair that the table allows. */
function importPlants() {
	const plants = [];
	for (const from of Object.keys(HOUSE).filter(folderOf)) {
		for (const to of Object.keys(HOUSE)) {
			if (from === to) continue;
			const byHand = FORBIDDEN.some(([a, b]) => a === from && b === to);
			const allowed = HOUSE[from].imports.includes(to) && !ENTRANCES.includes(to) && !byHand;
			const target = folderOf(to) ? `${folderOf(to)}target.ts` : HOUSE[to].at[0];
			const relative = path.posix.relative(folderOf(from), target);
			const specifier = target.startsWith("server/") ? specifierOf(target) : relative.startsWith(".") ? relative : `./${relative}`;
			const error = allowed ? undefined : ENTRANCES.includes(to) ? `no one imports ${to}` : `${from} may not import ${to}`;
			plants.push({ file: `${folderOf(from)}planted-${to.toLowerCase()}.ts`, text: `import "${specifier}";`, error });
		}
	}
	return plants;
}

function purityPlants() {
	const pure = Object.keys(HOUSE).filter((name) => HOUSE[name].kind === "pure");
	for (const name of ["domain", "policy", "accounting", "scheduling"])
		if (!pure.includes(name)) throw new Error(`${name} must be a pure room`);
	return pure.flatMap((name) => [
		...Object.entries(IMPURE).map(([what, text], index) => ({ file: `${folderOf(name)}impure-${index}.ts`, text, error: what })),
		{ file: `${folderOf(name)}pure.ts`, text: PURE },
	]);
}

function otherPlants() {
	const port = "#server/providers/driver.ts";
	const router = "#server/api/trpc/router.ts";
	const txError = "within a transaction only the transaction is used";
	const envError = "only server/env.ts reads process.env";
	return [
		{ file: "server/services/port-type.ts", text: `import type { Driver } from "${port}";\nexport type Planted = Driver;` },
		{ file: "server/services/port-inline-type.ts", text: `import { type Driver } from "${port}";\nexport type Planted = Driver;` },
		{ file: "server/services/port-value.ts", text: `import { Driver } from "${port}";`, error: "services may not import providers" },
		{ file: "server/services/port-dynamic.ts", text: `void import("${port}");`, error: "services may not import providers" },
		{ file: "server/services/port-export.ts", text: `export { Driver } from "${port}";`, error: "services may not import providers" },
		{
			file: "server/services/aws-type.ts",
			text: 'import type { A } from "#server/providers/aws/client.ts";',
			error: "services may not import providers",
		},
		{ file: "components/router-type.ts", text: `import type { AppRouter } from "${router}";\nexport type Planted = AppRouter;` },
		{ file: "components/router-value.ts", text: `import { appRouter } from "${router}";`, error: "components may not import api" },
		{ file: "server/kernel/package.ts", text: 'import "zod";', error: "may not import the package zod" },
		{ file: "server/scheduling/clock.test.ts", text: 'import { it } from "vitest";\nit("runs", async () => {});' },
		{ file: "server/scheduling/db.test.ts", text: 'import "#server/db/client.ts";', error: "scheduling may not import db" },
		{ file: "server/services/env.ts", text: "export const planted = process.env.HOME;", error: envError },
		{ file: "server/services/env-index.ts", text: 'export const planted = process["env"].HOME;', error: envError },
		{
			file: "server/services/env-import.ts",
			text: 'import { env } from "node:process";\nexport const planted = env.HOME;',
			error: envError,
		},
		{ file: "server/services/env-take.ts", text: "const { env } = process;\nexport const planted = env.HOME;", error: envError },
		{
			file: "server/services/tx-call.ts",
			text: "declare const ctx: any;\nctx.db.transaction(async (tx: any) => ctx.db.select());",
			error: txError,
		},
		{
			file: "server/services/tx-taker.ts",
			text: "export function planted(tx: Tx, ctx: any) {\n\treturn ctx.db.select();\n}",
			error: txError,
		},
		{ file: "server/services/tx-arrow.ts", text: "export const planted = (tx: Tx, ctx: any) => ctx.db;", error: txError },
		{ file: "server/services/tx-own.ts", text: "declare const ctx: any;\nctx.db.transaction(async (tx: any) => tx.select(ctx.clock));" },
		{ file: "server/nowhere/lost.ts", text: "export const planted = 1;", error: "lies in no room" },
		{ file: "server/services/broken.ts", text: "export const = ;", error: "cannot be parsed" },
	];
}
