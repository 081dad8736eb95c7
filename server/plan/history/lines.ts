/** One line without its break; lines count from 1. */
export interface Line {
	text: string;
	number: number;
}

/** The non-empty lines of some bytes (UTF-8), a batch for each chunk. A `\r` before the break is dropped. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line[]> {
	const decoder = new TextDecoder();
	let rest = "";
	let number = 0;
	for await (const chunk of chunks) {
		const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
		rest = parts.pop() ?? "";
		const from = number;
		number += parts.length;
		yield parts.flatMap((text, i) => lineOf(text, from + i + 1));
	}
	yield lineOf(rest + decoder.decode(), number + 1);
}

function lineOf(raw: string, number: number): Line[] {
	const text = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
	return text.trim() === "" ? [] : [{ text, number }];
}

/** Returns the first bytes (up to the first chunk with a non-blank character), and all bytes again. */
export async function peek(chunks: AsyncIterable<Uint8Array>): Promise<{ first: Uint8Array; all: AsyncGenerator<Uint8Array> }> {
	const iterator = chunks[Symbol.asyncIterator]();
	const head: Uint8Array[] = [];
	let step = await iterator.next();
	while (!step.done) {
		head.push(step.value);
		if (Buffer.concat(head).toString("utf8").trim() !== "") break;
		step = await iterator.next();
	}
	return { first: Buffer.concat(head), all: rejoin(head, iterator) };
}

async function* rejoin(head: readonly Uint8Array[], iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
	yield* head;
	for (let step = await iterator.next(); !step.done; step = await iterator.next()) yield step.value;
}
