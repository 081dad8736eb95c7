// The import graph of the sources, including types, and its loops.
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "oxc-parser";
import { importsOf, roomOf, sourcesBelow, TEST, targetOf } from "../check-imports.mjs";

/**
 * @param {string} base folder of the project
 * @returns {Map<string, Set<string>>} for each source that is not a test, the sources that it imports, as values or as types
 */
export function importGraph(base) {
	const aliases = Object.entries(JSON.parse(readFileSync(path.join(base, "package.json"), "utf8")).imports ?? {});
	const files = [...sourcesBelow(base)].filter((file) => !TEST.test(file));
	const known = new Set(files);
	return new Map(
		files.map((file) => {
			const parsed = parseSync(file, readFileSync(path.join(base, file), "utf8"));
			const targets = importsOf(parsed).map(({ specifier }) => targetOf(file, specifier, aliases).file);
			return [file, new Set(targets.filter((target) => known.has(target)))];
		}),
	);
}

/** @param {Map<string, Set<string>>} graph @returns {string[][]} the groups of files that form an import cycle */
export function fileCircles(graph) {
	return loopsIn(graph);
}

/**
 * Loops between the folders directly below a room. Files in the room's own folder belong to none of them.
 * @param {Map<string, Set<string>>} graph
 * @returns {string[][]}
 */
export function folderLoops(graph) {
	const folders = new Map();
	for (const [file, targets] of graph) {
		const from = folderInRoom(file);
		for (const target of targets) {
			const to = folderInRoom(target);
			if (!from || !to || roomOf(file) !== roomOf(target) || from === to) continue;
			if (!folders.has(from)) folders.set(from, new Set());
			folders.get(from).add(to);
		}
	}
	return loopsIn(folders);
}

function folderInRoom(file) {
	const parts = file.split("/");
	const depth = parts[0] === "server" ? 3 : 2;
	return parts.length > depth ? parts.slice(0, depth).join("/") : undefined;
}

/** Tarjan's strongly connected components with more than one node, or with a node that imports itself. */
function loopsIn(graph) {
	const state = { index: 0, stack: [], on: new Set(), indexOf: new Map(), low: new Map(), found: [] };
	for (const node of graph.keys()) if (!state.indexOf.has(node)) visit(graph, node, state);
	return state.found.map((loop) => loop.sort());
}

function visit(graph, node, state) {
	state.indexOf.set(node, state.index);
	state.low.set(node, state.index);
	state.index++;
	state.stack.push(node);
	state.on.add(node);
	for (const next of graph.get(node) ?? []) {
		if (!state.indexOf.has(next)) visit(graph, next, state);
		if (state.on.has(next)) state.low.set(node, Math.min(state.low.get(node), state.low.get(next)));
	}
	if (state.low.get(node) !== state.indexOf.get(node)) return;
	const loop = state.stack.splice(state.stack.indexOf(node));
	for (const member of loop) state.on.delete(member);
	if (loop.length > 1 || graph.get(node)?.has(node)) state.found.push(loop);
}
