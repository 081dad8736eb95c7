/** Bytes of a part, before base64. */
const PART_BYTES = 3 * 1024 ** 2;
/** Characters per call of String.fromCharCode. */
const CHUNK = 32_768;
const GZIP_MAGIC = [0x1f, 0x8b] as const;

export interface FilePart {
	/** Absent for the first. */
	upload?: string;
	name: string;
	/** Bytes sent before. */
	at: number;
	contentBase64: string;
}

/**
 * Sends a file in parts, gzipped unless it already is, in memory for one part only.
 * @param onShare called with the share that was sent, 0 to 1
 * @returns the id of the upload
 * @throws Error for an empty file, and what `send` throws
 */
export async function sendFile(
	file: File,
	send: (part: FilePart) => Promise<{ id: string }>,
	onShare: (share: number) => void,
): Promise<string> {
	let [at, read] = [0, 0];
	let upload: string | undefined;
	const counted = file.stream().pipeThrough(
		new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
			transform(chunk, controller) {
				read += chunk.length;
				controller.enqueue(chunk);
			},
		}),
	);
	const stream = (await isGzip(file)) ? counted : counted.pipeThrough(new CompressionStream("gzip"));
	for await (const part of partsOf(stream.getReader())) {
		const { id } = await send({ ...(upload !== undefined && { upload }), name: file.name, at, contentBase64: base64Of(part) });
		upload = id;
		at += part.length;
		onShare(file.size === 0 ? 1 : read / file.size);
	}
	if (upload === undefined) throw new Error("The file is empty.");
	return upload;
}

async function isGzip(file: File): Promise<boolean> {
	const head = new Uint8Array(await file.slice(0, GZIP_MAGIC.length).arrayBuffer());
	return GZIP_MAGIC.every((byte, i) => head[i] === byte);
}

async function* partsOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
	let part = new Uint8Array(PART_BYTES);
	let size = 0;
	for (let next = await reader.read(); !next.done; next = await reader.read()) {
		for (let from = 0; from < next.value.length; ) {
			const taken = next.value.subarray(from, from + PART_BYTES - size);
			part.set(taken, size);
			size += taken.length;
			from += taken.length;
			if (size < PART_BYTES) continue;
			yield part;
			[part, size] = [new Uint8Array(PART_BYTES), 0];
		}
	}
	if (size > 0) yield part.subarray(0, size);
}

function base64Of(bytes: Uint8Array): string {
	let text = "";
	for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
	return btoa(text);
}
