import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { z } from "zod";

export interface LogLine {
	number: number;
	at: Date;
	stream: "stdout" | "stderr" | "spillway";
	text: string;
}

const lineSchema = z.object({
	number: z.number().int(),
	at: z.coerce.date(),
	stream: z.enum(["stdout", "stderr", "spillway"]),
	text: z.string(),
});
/** Far above any segment that is written; guards against a damaged object. */
const DECODED_BYTES_MAX = 256 * 1024 * 1024;
const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Gzipped NDJSON, readable with zcat. */
export async function encodeSegment(lines: readonly LogLine[]): Promise<{ content: Buffer; sha256: string }> {
	const content = await compress(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
	return { content, sha256: hashOf(content) };
}

/** @throws Error when the content is damaged */
export async function decodeSegment(content: Buffer, sha256: string): Promise<LogLine[]> {
	if (hashOf(content) !== sha256) throw new Error("its checksum does not match");
	const text = (await decompress(content, { maxOutputLength: DECODED_BYTES_MAX })).toString("utf8");
	return text
		.split("\n")
		.filter(Boolean)
		.map((line) => lineSchema.parse(JSON.parse(line)));
}

function hashOf(content: Buffer): string {
	return createHash("sha256").update(content).digest("hex");
}
