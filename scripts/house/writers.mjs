// Finds statements that write a table: drizzle's `.insert(table)`, `.update(table)` and `.delete(table)`.
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { sourcesBelow, TEST } from "../check-imports.mjs";

const WRITES = new Set(["insert", "update", "delete"]);
const SCHEMA = /^#server\/db\/schema\/|\/schema\/[a-z-]+\.ts$/;
/** Services own their tables; db migrates them. The demo and chaos fill a database that is empty at first. */
const MAY_WRITE = /^server\/(services|db|demo)\/|^server\/chaos\/seed-world\.ts$/;

/** @param {string} base @returns {{file: string, line: number, table: string}[]} writes outside the services; tests are skipped */
export function foreignWrites(base) {
	return [...sourcesBelow(base)]
		.filter((file) => file.startsWith("server/") && !MAY_WRITE.test(file) && !TEST.test(file))
		.flatMap((file) => writesIn(file, readFileSync(path.join(base, file), "utf8")).map((write) => ({ file, ...write })));
}

/** @param {string} file @param {string} text @returns {{line: number, table: string}[]} */
export function writesIn(file, text) {
	const { program, module } = parseSync(file, text);
	const tables = new Set(
		module.staticImports
			.filter(({ moduleRequest }) => SCHEMA.test(moduleRequest.value))
			.flatMap(({ entries }) => entries.map(({ localName }) => localName.value)),
	);
	const writes = [];
	new Visitor({
		CallExpression: ({ callee, arguments: [table], start }) => {
			const isWrite = callee.type === "MemberExpression" && !callee.computed && WRITES.has(callee.property.name);
			if (isWrite && table?.type === "Identifier" && tables.has(table.name))
				writes.push({ line: text.slice(0, start).split("\n").length, table: table.name });
		},
	}).visit(program);
	return writes;
}
