// Checks the documents against the code: links and paths resolve, the state diagrams match the state machines, every setting,
// timeout, metric and permission is documented, and every command shown exists.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isFinal, MACHINES, type TransitionTable } from "#server/domain/states.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { makeSettings } from "./lib/settings.mjs";

const root = path.resolve(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const find = (pattern: string): string[] => globSync(pattern, { cwd: root, exclude: (name) => name === "node_modules" });

const DOCUMENTS = ["README.md", "CONTRIBUTING.md", ...find("docs/**/*.md")].sort();
const READMES = [...find("server/**/*.md"), ...find("examples/**/*.md")];
const SETTINGS = read("docs/settings.md");
const OPERATE = read("docs/operate.md");
const METRIC_FILES = ["server/api/metrics.ts", "server/api/database-metrics.ts", "server/services/core/process-metrics.ts"];

/** Strips fenced blocks, which contain no links. */
const proseOf = (text: string): string => text.replace(/^ *```[\s\S]*?^ *```/gm, "");
const fencesOf = (text: string, language: string): string[] =>
	[...text.matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, "gm"))].map((m) => m[1] ?? "");

/** GitHub's anchor for a heading. */
function anchorsOf(text: string): Set<string> {
	const headings = [...proseOf(text).matchAll(/^#{1,6} +(.+)$/gm)].map((m) => m[1] ?? "");
	return new Set(
		headings.map((h) =>
			h
				.toLowerCase()
				.replace(/[^\p{L}\p{N}\s_-]/gu, "")
				.trim()
				.replaceAll(" ", "-"),
		),
	);
}

function brokenLinks(file: string): string[] {
	const prose = proseOf(read(file)).replace(/`[^`\n]*`/g, "");
	const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g), ...prose.matchAll(/<img[^>]* src="([^"]+)"/g)].map((m) => m[1] ?? "");
	return links.flatMap((link) => {
		if (/^[a-z]+:/.test(link)) return [];
		const [target = "", anchor] = link.split("#");
		const absolute = target === "" ? path.join(root, file) : path.join(root, path.dirname(file), target);
		if (!existsSync(absolute)) return [`${file}: ${link} does not exist`];
		if (anchor && absolute.endsWith(".md") && !anchorsOf(readFileSync(absolute, "utf8")).has(anchor))
			return [`${file}: ${link} has no such heading`];
		return [];
	});
}

/** Paths of this repository in backticks; `<entity>` stands for any name. */
function missingPaths(file: string): string[] {
	const words = [...proseOf(read(file)).matchAll(/`([^`\n]+)`/g)].map((m) => m[1] ?? "");
	const paths = words.filter((w) =>
		/^(\.ci|app|bench|cli|components|docs|drizzle|e2e|examples|scripts|server)\/[\w./<>*{},()[\]-]*$/.test(w),
	);
	return paths.flatMap((p) => {
		// A new driver's or procedure's own files do not exist yet, but their folders do.
		const pattern = p.replace(/<[^>]+>/g, "*").replace(/\/$/, "");
		return find(pattern).length > 0 ? [] : [`${file}: there is no ${p}`];
	});
}

describe("links and paths", () => {
	it("are checked in existing documents", () => {
		expect(DOCUMENTS.length).toBeGreaterThan(10);
		expect(DOCUMENTS).toContain("docs/policy.md");
	});
	it.each([...DOCUMENTS, ...READMES])("of %s lead somewhere", (file) => {
		expect(brokenLinks(file)).toEqual([]);
	});
	it.each(DOCUMENTS)("in backticks of %s exist", (file) => {
		expect(missingPaths(file)).toEqual([]);
	});
});

/** Arrows of a mermaid flowchart as "a -> b". An arrow to or from a subgraph counts for each of its nodes. */
function arrowsOf(diagram: string): string[] {
	const groups = new Map<string, Set<string>>();
	const arrows: [string, string][] = [];
	let group: Set<string> | undefined;
	for (const line of diagram.split("\n").map((l) => l.trim())) {
		const opened = /^subgraph (\w+)/.exec(line)?.[1];
		if (opened || line === "end") group = opened ? new Set() : undefined;
		if (opened && group) groups.set(opened, group);
		if (!line.includes("-->")) continue;
		const steps = line.split("-->").map((step) => step.split("&").map((name) => name.trim()));
		for (const [i, targets] of steps.entries()) {
			for (const name of targets) if (!groups.has(name)) group?.add(name);
			for (const from of steps[i - 1] ?? []) for (const to of targets) arrows.push([from, to]);
		}
	}
	const nodesOf = (name: string): string[] => [...(groups.get(name) ?? [name])];
	return arrows.flatMap(([from, to]) => nodesOf(from).flatMap((f) => nodesOf(to).map((t) => `${f} -> ${t}`))).sort();
}

describe("the state diagrams of docs/concepts.md", () => {
	const diagrams = fencesOf(read("docs/concepts.md"), "mermaid");
	const machines: [string, TransitionTable<string>][] = Object.entries(MACHINES);
	it.each(machines)("show exactly the moves of a %s", (name, table) => {
		const diagram = diagrams.find((d) => d.includes(`%% machine: ${name}\n`)) ?? "";
		const moves = Object.entries(table).flatMap(([from, tos]) => tos.map((to) => `${from} -> ${to}`));
		expect(arrowsOf(diagram)).toEqual(moves.sort());
	});
	it.each(machines)("are explained next to each end of a %s", (_, table) => {
		const ends = Object.keys(table).filter((state) => isFinal(table, state));
		expect(ends.filter((state) => !read("docs/concepts.md").includes(`| \`${state}\` |`))).toEqual([]);
	});
});

function unitMs(unit: string | undefined): number {
	return unit === "s" ? 1_000 : unit === "min" ? 60_000 : 3_600_000;
}

describe("the reference in docs", () => {
	const missing = (text: string, names: readonly string[]): string[] => names.filter((name) => !text.includes(`\`${name}\``));
	it("names every setting of the server", () => {
		const settings = [...read("server/env.ts").matchAll(/^\t([A-Z][A-Z_]+):/gm)].map((m) => m[1] ?? "");
		expect(settings.length).toBeGreaterThan(10);
		expect(missing(SETTINGS, settings)).toEqual([]);
	});
	it("names every setting of npm start's help", () => {
		const settings = [...read("scripts/lib/settings.mjs").matchAll(/^ {2}([A-Z][A-Z_]+) {2,}/gm)].map((m) => m[1] ?? "");
		expect(settings.length).toBeGreaterThan(3);
		expect(missing(SETTINGS, settings)).toEqual([]);
	});
	it("lists every timeout with its default and the demo's value", async () => {
		const home = mkdtempSync(path.join(os.tmpdir(), "spillway-docs-test-"));
		onTestFinished(() => rmSync(home, { recursive: true }));
		const demo: unknown = JSON.parse((await makeSettings(home, { NODE_ENV: "test" })).env.SPILLWAY_TIMING ?? "");
		const [table = ""] = (SETTINGS.split("### Waiting times")[1] ?? "").split("\n## ");
		const rows = table.split("\n").filter((line) => line.startsWith("| `"));
		const shown = rows.map((row) => row.split("|").map((cell) => cell.trim()));
		const namesOf = (cell = ""): string[] => [...cell.matchAll(/`(\w+)`/g)].map((m) => m[1] ?? "");
		const timesOf = (cell = ""): number[] => [...cell.matchAll(/(\d+) (s|min|h)\b/g)].map((m) => Number(m[1]) * unitMs(m[2]));
		for (const [column, timing] of [
			[2, timingSchema.parse({})],
			[3, timingSchema.parse(demo)],
		] as const) {
			const valuesOf = (name: string): unknown =>
				Object.entries(timing).flatMap(([k, v]) => (k === name ? (typeof v === "number" ? v : Object.values(v)) : []));
			expect(shown.map((cells) => [cells[1], timesOf(cells[column])])).toEqual(
				shown.map((cells) => [cells[1], namesOf(cells[1]).flatMap(valuesOf)]),
			);
		}
		expect(shown.flatMap((cells) => namesOf(cells[1])).sort()).toEqual(Object.keys(timingSchema.parse({})).sort());
	});
	it("names every metric", () => {
		const metrics = [
			...METRIC_FILES.map(read)
				.join("\n")
				.matchAll(/"(spillway_\w+)"/g),
		].map((m) => m[1] ?? "");
		expect(metrics.length).toBeGreaterThan(5);
		expect(missing(OPERATE, metrics)).toEqual([]);
	});
	it("lists a permission for every call of the AWS driver, and no others", () => {
		const source = read("server/providers/aws/client.ts");
		const calls = [...source.matchAll(/\bnew (\w+)Command\(|\bpaginate(\w+)\(/g)].map((m) => m[1] ?? m[2] ?? "");
		const [policy = ""] = fencesOf(read("docs/providers/aws.md"), "json");
		const rights = [...policy.matchAll(/"ec2:(\w+)"/g)].map((m) => m[1] ?? "").filter((right) => right !== "CreateAction");
		// Tags are set at launch, which requires a separate permission but no separate call.
		expect([...new Set(rights)].sort()).toEqual([...new Set([...calls, "CreateTags"])].sort());
	});
	it("explains only messages that a program prints", () => {
		const [, table = ""] = OPERATE.split("## When it does not start");
		const messages = [...(table.split("\n## ")[0] ?? "").matchAll(/^\| `([^`]+)` \|/gm)].map((m) => m[1] ?? "");
		const sources = [...find("scripts/*.mjs"), ...find("scripts/lib/*.mjs"), ...find("server/**/*.ts")].map(read).join("\n");
		expect(messages.length).toBeGreaterThan(10);
		expect(messages.filter((message) => !sources.includes(message))).toEqual([]);
	});
});

describe("commands that the documents show", () => {
	const all = DOCUMENTS.map(read).join("\n");
	it("are existing npm scripts", () => {
		const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
		const shown = [...all.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map((m) => m[1] ?? m[2] ?? "");
		expect(shown.length).toBeGreaterThan(5);
		expect([...new Set(shown)].filter((name) => !(name in scripts))).toEqual([]);
	});
	it("name every benchmark", () => {
		expect(find("bench/*.ts").filter((file) => !all.includes(`bench:${path.basename(file, ".ts")}`))).toEqual([]);
	});
	it("are steps of npm test", () => {
		const steps = [...read("scripts/lib/test-main.mjs").matchAll(/\bname: "(\w+)"/g)].map((m) => m[1] ?? "");
		const shown = [...all.matchAll(/\bnpm test -- (\w+)/g)].map((m) => m[1] ?? "");
		expect(steps.length).toBeGreaterThan(4);
		expect([...new Set(shown)].filter((name) => !steps.includes(name))).toEqual([]);
		expect(steps.filter((step) => !read("CONTRIBUTING.md").includes(`\`${step}\``))).toEqual([]);
	});
	it("are commands of spillway", () => {
		const shown = [...all.matchAll(/\bnpx spillway ([a-z]+)/g)].map((m) => m[1] ?? "");
		expect(shown).toContain("submit");
		const builtIn = ["help", "version"];
		expect(
			[...new Set(shown)].filter((name) => !builtIn.includes(name) && !existsSync(path.join(root, `cli/commands/${name}.ts`))),
		).toEqual([]);
	});
});

it("README.md links to every page", () => {
	const readme = read("README.md");
	expect(find("docs/*.md").filter((page) => !readme.includes(`](${page}`))).toEqual([]);
});

describe("CHANGELOG.md", () => {
	it("contains the unreleased section and this release, each with changes", () => {
		const { version }: { version: string } = JSON.parse(read("package.json"));
		const sections = read("CHANGELOG.md").split(/^## /m).slice(1);
		expect(sections.map((section) => section.split("\n")[0])).toEqual(expect.arrayContaining(["Unreleased", version]));
		for (const section of sections) expect(section.split("\n").slice(1).join("").trim()).not.toBe("");
	});
});
