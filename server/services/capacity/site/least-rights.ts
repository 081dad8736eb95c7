import { readFileSync } from "node:fs";
import path from "node:path";
import type { LeastRights } from "./tools.ts";

const BLOCK = /^<!-- least rights: (.+?) -->\n+```(\w+)\n([\s\S]*?)\n```$/gm;

/**
 * Permissions to paste at a provider, from its document: each fenced block after a line `<!-- least rights: title -->`. The document and
 * the form share this source.
 */
export function leastRightsIn(text: string): LeastRights[] {
	return [...text.matchAll(BLOCK)].map(([, title = "", language = "", block = ""]) => ({ title, language, text: block }));
}

/** @param docs the folder of the documents; a missing document has no blocks */
export function leastRightsReader(docs: string): (document: string) => LeastRights[] {
	return (document) => {
		try {
			return leastRightsIn(readFileSync(path.join(docs, document), "utf8"));
		} catch {
			return [];
		}
	};
}
