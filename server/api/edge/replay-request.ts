import { IncomingMessage } from "node:http";

/** The same request with its body already read, for handlers that read it themselves. */
export function replayRequest(req: IncomingMessage, body: Buffer): IncomingMessage {
	const copy = new IncomingMessage(req.socket);
	const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = req;
	Object.assign(copy, { method, url, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor, complete: true });
	Object.assign(copy.headers, headers);
	copy.push(body);
	copy.push(null);
	return copy;
}
