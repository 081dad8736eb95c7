import { SpillwayError } from "#server/kernel/errors.ts";

/** Names of the array with the jobs, in Slurm's REST API and in a Kubernetes list. */
const ARRAYS = new Set(["jobs", "items"]);
/** Most characters of one job: more means an unclosed brace or quote. */
const ITEM_CHARS_MAX = 16 * 1024 * 1024;

/**
 * Extracts the objects of the array `jobs` or `items` (or of a bare array) from JSON text that arrives in pieces, without parsing the
 * whole: a million jobs are gigabytes. Each has the number of its first line.
 */
export class JsonItems {
	readonly #name: string;
	#depth = 0;
	#inString = false;
	#escaped = false;
	#line = 1;
	/** Depth inside the array of jobs; null outside it. */
	#arrayDepth: number | null = null;
	/** The text of the last string at depth 1: the key of the next value. */
	#key = "";
	#item: string | null = null;
	#itemLine = 0;
	#hasArray = false;

	/** @param name the file's name in errors. */
	constructor(name: string) {
		this.#name = name;
	}

	/** False if the text so far has no array of jobs. */
	get hasArray(): boolean {
		return this.#hasArray;
	}

	push(text: string): { text: string; number: number }[] {
		const found: { text: string; number: number }[] = [];
		let from = 0;
		for (let i = 0; i < text.length; i++) {
			const code = text.charCodeAt(i);
			if (code === 10) this.#line++;
			if (this.#inString) {
				this.#stringCharacter(code, text, i);
				continue;
			}
			if (code === 34) this.#openString();
			else if (code === 123 || code === 91) {
				if (this.#open(code)) from = i;
			} else if ((code === 125 || code === 93) && this.#close()) {
				found.push({ text: (this.#item ?? "") + text.slice(from, i + 1), number: this.#itemLine });
				this.#item = null;
			}
		}
		if (this.#item !== null) this.#keep(text.slice(from));
		return found;
	}

	/** Returns a job that is cut off at the end of the file. */
	end(): { text: string; number: number }[] {
		return this.#item === null ? [] : [{ text: this.#item, number: this.#itemLine }];
	}

	#keep(rest: string): void {
		this.#item = (this.#item ?? "") + rest;
		if (this.#item.length > ITEM_CHARS_MAX)
			throw new SpillwayError("invalid_input", `${this.#name}, line ${this.#itemLine}: a job does not end within 16 MiB.`, {
				fix: "Check the file for an unclosed brace or quote.",
			});
	}

	#openString(): void {
		this.#inString = true;
		if (this.#depth === 1) this.#key = "";
	}

	#stringCharacter(code: number, text: string, i: number): void {
		if (this.#escaped) this.#escaped = false;
		else if (code === 92) this.#escaped = true;
		else if (code === 34) this.#inString = false;
		else if (this.#depth === 1 && this.#key.length < 16) this.#key += text.charAt(i);
	}

	/** @returns true when a job begins. */
	#open(code: number): boolean {
		const begins = code === 123 && this.#depth === this.#arrayDepth;
		const isArray = code === 91 && this.#arrayDepth === null && (this.#depth === 0 || (this.#depth === 1 && ARRAYS.has(this.#key)));
		this.#depth++;
		if (isArray) {
			this.#arrayDepth = this.#depth;
			this.#hasArray = true;
		}
		if (begins) {
			this.#item = "";
			this.#itemLine = this.#line;
		}
		return begins;
	}

	/** @returns true when a job ends. */
	#close(): boolean {
		this.#depth--;
		if (this.#arrayDepth !== null && this.#depth < this.#arrayDepth) this.#arrayDepth = null;
		return this.#item !== null && this.#depth === this.#arrayDepth;
	}
}
