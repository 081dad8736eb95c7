import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { FoundEntity } from "#server/domain/search.ts";
import { pickMatches, type SearchFor } from "./match.ts";

interface Doc {
	id: string;
	title: string;
	headings: string[];
}

let known: Promise<Doc[]> | undefined;

/** Documentation pages of this installation by title or heading. */
export async function findDocs(search: SearchFor): Promise<FoundEntity[]> {
	known ??= readDocs();
	const sections = (await known).flatMap(({ id, title, headings }) =>
		["", ...headings].map((heading) => ({ id, title, heading, text: `${title} ${id} ${heading}` })),
	);
	const found = pickMatches(sections, (s) => s.text, { ...search, limit: sections.length });
	const firstOfPage = new Map(found.toReversed().map((s) => [s.id, s]));
	return [...firstOfPage.values()]
		.reverse()
		.slice(0, search.limit)
		.map(({ id, title, heading }) => ({
			...{ kind: "doc", id, name: title, detail: heading || "documentation", href: `/docs/${id}`, live: true, actions: [] },
		}));
}

/** The Markdown of a page; null when there is no such page. */
export async function readDoc(id: string): Promise<string | null> {
	if (!/^[a-z0-9-]+$/.test(id)) return null;
	return readFile(path.join(FOLDER, `${id}.md`), "utf8").catch(() => null);
}

/** Programs run in the folder of the installation. */
const FOLDER = path.join(process.cwd(), "docs");

async function readDocs(): Promise<Doc[]> {
	const files = (await readdir(FOLDER).catch(() => [])).filter((name) => name.endsWith(".md")).sort();
	return Promise.all(
		files.map(async (file) => {
			const text = await readFile(path.join(FOLDER, file), "utf8");
			const title = /^# (.+)$/m.exec(text)?.[1] ?? file;
			return { id: file.slice(0, -3), title, headings: [...text.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading]) => heading ?? "") };
		}),
	);
}
