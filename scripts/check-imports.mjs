// Checks every source against the rules in house.mjs: which room imports which, what pure folders may not use, which files may
// read process.env, and that a transaction uses no second connection. Sources are parsed, not searched. `--self-test` adds one
// violation per rule to a copy and expects the error.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { parseSync, Visitor } from "oxc-parser";
import { ENTRANCES, ENV_READERS, HOUSE } from "./house.mjs";
import { root } from "./lib/node.mjs";

const SOURCE = /\.(ts|tsx|mts|mjs|js)$/;
export const TEST = /\.test\.(ts|tsx|mjs)$|^server\/[a-z-]+\/(testing|contract)\//;
const SKIPPED = new Set([
	"node_modules",
	".git",
	".next",
	".spillway",
	"dist",
	"docs",
	"drizzle",
	"public",
	"test-results",
	"playwright-report",
	"next-env.d.ts",
	"data",
]);

/** @typedef {{file: string, line: number, message: string}} Violation */

/**
 * @param {string} base folder that contains the project
 * @returns {{files: number, violations: Violation[]}}
 */
export function checkProject(base) {
	const aliases = Object.entries(JSON.parse(readFileSync(path.join(base, "package.json"), "utf8")).imports ?? {});
	const files = [...sourcesBelow(base)];
	return { files: files.length, violations: files.flatMap((file) => checkFile(base, file, aliases)) };
}

export function* sourcesBelow(base, folder = "") {
	for (const entry of readdirSync(path.join(base, folder), { withFileTypes: true })) {
		const file = path.posix.join(folder, entry.name);
		if (SKIPPED.has(entry.name)) continue;
		if (entry.isDirectory()) yield* sourcesBelow(base, file);
		else if (entry.isFile() && SOURCE.test(entry.name)) yield file;
	}
}

function checkFile(base, file, aliases) {
	const text = readFileSync(path.join(base, file), "utf8");
	const parsed = parseSync(file, text);
	const found = [];
	const report = (start, message) => found.push({ file, line: text.slice(0, start).split("\n").length, message });
	for (const problem of parsed.errors) report(problem.labels[0]?.start ?? 0, `cannot be parsed: ${problem.message}`);
	const name = roomOf(file);
	if (!name) {
		report(0, "lies in no room of the house: move it, or add its folder to scripts/house.mjs.");
		return found;
	}
	const facts = { file, name, room: HOUSE[name], isTest: TEST.test(file) };
	for (const edge of importsOf(parsed)) {
		const message = judgeImport(facts, edge, targetOf(file, edge.specifier, aliases));
		if (message) report(edge.start, message);
	}
	// Tests pass their environment to the programs that they start.
	if (!facts.isTest && !ENV_READERS.some(({ at }) => matches(at, file))) forbidEnv(parsed.program, report);
	if (facts.room.kind === "pure" && !facts.isTest) forbidImpurity(parsed.program, report);
	if (!facts.isTest) forbidOtherDatabase(parsed.program, text, report);
	return found;
}

const matches = (place, file) => (place.endsWith("/") ? file.startsWith(place) : file === place);

/** @returns {string | undefined} */
export function roomOf(file) {
	return Object.keys(HOUSE).find((name) => HOUSE[name].at.some((place) => matches(place, file)));
}

/** Every way in which a module refers to another: import, export from, import() and `import("…")` in types. */
export function importsOf({ module, program }) {
	const edges = module.staticImports.map(({ moduleRequest, entries, start }) => ({
		specifier: moduleRequest.value,
		start,
		typeOnly: entries.length > 0 && entries.every((entry) => entry.isType),
	}));
	for (const { entries, start } of module.staticExports)
		for (const entry of entries)
			if (entry.moduleRequest) edges.push({ specifier: entry.moduleRequest.value, start, typeOnly: entry.isType });
	new Visitor({
		ImportExpression: ({ source, start }) => edges.push({ specifier: literal(source), start, typeOnly: false }),
		TSImportType: ({ source, argument, start }) => edges.push({ specifier: literal(source ?? argument), start, typeOnly: true }),
		CallExpression: ({ callee, arguments: [first], start }) => {
			if (callee.type === "Identifier" && callee.name === "require") edges.push({ specifier: literal(first), start, typeOnly: false });
		},
	}).visit(program);
	return edges.filter((edge) => edge.specifier !== undefined);
}

const literal = (node) => {
	const value = node?.type === "TSLiteralType" ? node.literal.value : node?.value;
	return typeof value === "string" ? value : undefined;
};

/** @returns {{file: string} | {builtin: string} | {package: string}} `file` is relative to the project */
export function targetOf(file, specifier, aliases) {
	if (specifier.startsWith(".")) return { file: path.posix.join(path.posix.dirname(file), specifier) };
	for (const [alias, place] of aliases) {
		const prefix = alias.replace("*", "");
		if (specifier.startsWith(prefix)) return { file: path.posix.join(place.replace("*", ""), specifier.slice(prefix.length)) };
	}
	if (isBuiltin(specifier)) return { builtin: specifier };
	const parts = specifier.split("/");
	return { package: specifier.startsWith("@") ? parts.slice(0, 2).join("/") : parts[0] };
}

function judgeImport({ name, room, isTest }, { specifier, typeOnly }, target) {
	if (target.builtin) return room.kind === "pure" && !isTest ? `${name} is pure and may not import ${specifier}.` : undefined;
	if (target.package) return judgePackage({ name, room, isTest }, target.package);
	const to = roomOf(target.file);
	if (to === name || (target.file === "package.json" && room.kind !== "pure")) return undefined;
	if (!to) return `${specifier} lies in no room of the house.`;
	if (ENTRANCES.includes(to)) return `no one imports ${to}: it is an entrance.`;
	if (room.imports.includes(to)) return undefined;
	if (typeOnly && room.typesOf?.some((pattern) => new RegExp(pattern).test(target.file))) return undefined;
	if (isTest && (room.testsImport ?? "any") === "any") return undefined;
	const allowed = [...new Set(room.imports)].sort().join(", ") || "nothing";
	return `${name} may not import ${to} (${specifier}). It may import: ${allowed}${room.typesOf ? `; and types of ${room.typesOf.join(", ")}` : ""}.`;
}

function judgePackage({ name, room, isTest }, packageName) {
	if (room.packages === "any" || room.packages.includes(packageName)) return undefined;
	if (isTest && ((room.testsImport ?? "any") === "any" || ["vitest", "fast-check"].includes(packageName))) return undefined;
	return `${name} may not import the package ${packageName}. It may import: ${room.packages.join(", ") || "none"}.`;
}

function forbidEnv(program, report) {
	const message = "only server/env.ts reads process.env; take the setting from there or as an argument.";
	new Visitor({
		MemberExpression: (node) => {
			const target = node.object.type === "MemberExpression" ? node.object.property : node.object;
			if (propertyName(node) === "env" && target.type === "Identifier" && target.name === "process") report(node.start, message);
		},
		VariableDeclarator: ({ id, init, start }) => {
			const takesEnv = id.type === "ObjectPattern" && id.properties.some((property) => property.key?.name === "env");
			if (takesEnv && init?.type === "Identifier" && init.name === "process") report(start, message);
		},
		ImportDeclaration: ({ source, specifiers, start }) => {
			const takesEnv = specifiers.some((specifier) => specifier.imported?.name === "env");
			if (takesEnv && ["process", "node:process"].includes(source.value)) report(start, message);
		},
	}).visit(program);
}

const propertyName = ({ computed, property }) => (computed ? literal(property) : property.name);

/** What a pure function may not use: `object.property`, or any use of a global. */
const IMPURE_MEMBERS = [
	"Date.now",
	"Math.random",
	"performance.now",
	"performance.timeOrigin",
	"crypto.randomUUID",
	"crypto.getRandomValues",
];
const IMPURE_GLOBALS = [
	...["Promise", "process", "console", "globalThis", "window", "fetch", "performance", "crypto", "AbortSignal", "AbortController"],
	...["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "queueMicrotask"],
];

function forbidImpurity(program, report) {
	const no = (node, what) => report(node.start, `a pure folder may not use ${what}: take it as an argument, or do it outside.`);
	const functionRule = (node) => {
		if (node.async) no(node, "async functions");
	};
	new Visitor({
		FunctionDeclaration: functionRule,
		FunctionExpression: functionRule,
		ArrowFunctionExpression: functionRule,
		AwaitExpression: (node) => no(node, "await"),
		ForOfStatement: (node) => {
			if (node.await) no(node, "for await");
		},
		ImportExpression: (node) => no(node, "import()"),
		MemberExpression: (node) => {
			const used = node.object.type === "Identifier" ? `${node.object.name}.${propertyName(node)}` : "";
			if (IMPURE_MEMBERS.includes(used)) no(node, used);
		},
		NewExpression: (node) => {
			if (isDate(node.callee) && node.arguments.length === 0) no(node, "new Date() without an argument");
		},
		CallExpression: (node) => {
			if (isDate(node.callee)) no(node, "Date()");
		},
		Identifier: (node) => {
			if (IMPURE_GLOBALS.includes(node.name)) no(node, node.name);
		},
		TSTypeReference: (node) => {
			if (node.typeName.name === "Promise") no(node, "Promise");
		},
	}).visit(withoutNames(program));
}

const isDate = (node) => node.type === "Identifier" && node.name === "Date";

/**
 * Inside a transaction, and in functions that take a `Tx`, `….db` must not be used. A statement there takes a second connection,
 * which does not see the transaction's writes, and can deadlock once every connection waits for this one's locks.
 */
function forbidOtherDatabase(program, text, report) {
	const message = "within a transaction only the transaction is used: hand it on, or read what is needed before it begins.";
	const reported = new Set();
	const inner = new Visitor({
		MemberExpression: (node) => {
			if (propertyName(node) !== "db" || reported.has(node.start)) return;
			reported.add(node.start);
			report(node.start, message);
		},
	});
	const takesTx = ({ params, body }) => {
		if (body && params.some((p) => p.typeAnnotation && /^:\s*Tx$/.test(text.slice(p.typeAnnotation.start, p.typeAnnotation.end))))
			inner.visit(asProgram(body));
	};
	new Visitor({
		CallExpression: ({ callee, arguments: [work] }) => {
			if (callee.type === "MemberExpression" && propertyName(callee) === "transaction" && work?.body) inner.visit(asProgram(work.body));
		},
		FunctionDeclaration: takesTx,
		FunctionExpression: takesTx,
		ArrowFunctionExpression: takesTx,
	}).visit(program);
}

/** A visitor accepts only whole programs. */
const asProgram = (body) => ({
	...{ type: "Program", sourceType: "module", hashbang: null, start: body.start, end: body.end },
	body: [body.type === "BlockStatement" ? body : { type: "ExpressionStatement", expression: body, start: body.start, end: body.end }],
});

/** Names of properties and members are not uses of a global: `job.process` is allowed, `process` is not. */
function withoutNames(program) {
	const blank = (node) => ({ ...node, type: "PrivateIdentifier" });
	const copy = (node) => {
		if (Array.isArray(node)) return node.map(copy);
		if (node === null || typeof node !== "object" || node instanceof RegExp) return node;
		const result = {};
		for (const [key, value] of Object.entries(node)) {
			const isName = (key === "property" || key === "key") && !node.computed && value?.type === "Identifier";
			result[key] = isName ? blank(value) : copy(value);
		}
		return result;
	};
	return copy(program);
}

/** Checks `base` and prints the violations. A check without any files fails. */
export function main(base) {
	if (!existsSync(path.join(base, "package.json")) || !statSync(base).isDirectory()) {
		console.error(`Import rules: there is no project in ${base}.`);
		return 1;
	}
	const { files, violations } = checkProject(base);
	for (const { file, line, message } of violations) console.error(`${file}:${line}  ${message}`);
	if (files === 0) console.error(`Import rules: no source files were found in ${base}; this check saw nothing.`);
	else console.log(`Import rules: ${files} files, ${violations.length} violations.`);
	return files === 0 || violations.length > 0 ? 1 : 0;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
	const selfTest = process.argv.includes("--self-test");
	process.exitCode = selfTest ? (await import("./check-imports-self-test.mjs")).selfTest() : main(process.argv[2] ?? root);
}
