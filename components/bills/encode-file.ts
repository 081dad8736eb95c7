/** Characters per call of String.fromCharCode. */
const CHUNK = 32_768;
const GZIP_MAGIC = [0x1f, 0x8b] as const;

/** Encodes a file as gzip in base64 for a single request. A gzip file is not compressed again. */
export async function encodeFile(file: Blob): Promise<string> {
	const head = new Uint8Array(await file.slice(0, GZIP_MAGIC.length).arrayBuffer());
	const isGzip = GZIP_MAGIC.every((byte, i) => head[i] === byte);
	const stream = isGzip ? file.stream() : file.stream().pipeThrough(new CompressionStream("gzip"));
	const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
	let text = "";
	for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
	return btoa(text);
}
