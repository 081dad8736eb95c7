import { csvHeaders } from "./stream-file.ts";

/** A download from a page, read as fast as the browser receives it. A HEAD request, or a browser that has disconnected, ends the reading. */
export function streamDownload(
	{ method, signal }: Pick<Request, "method" | "signal">,
	file: { fileName: string; contentType?: string; chunks: AsyncGenerator<Uint8Array, void, undefined> },
): Response {
	const { chunks } = file;
	const headers = { ...csvHeaders(file.fileName), ...(file.contentType !== undefined && { "content-type": file.contentType }) };
	const end = async (): Promise<void> => void (await chunks.return());
	if (method === "HEAD" || signal.aborted) {
		void end();
		return new Response(null, { headers });
	}
	// Next does not cancel the body of a connection that was closed before it began to send.
	signal.addEventListener("abort", () => void end());
	const body = new ReadableStream<Uint8Array>({
		async pull(controller) {
			const { value, done } = await chunks.next();
			if (done) controller.close();
			else controller.enqueue(new Uint8Array(value));
		},
		cancel: end,
	});
	return new Response(body, { headers });
}
