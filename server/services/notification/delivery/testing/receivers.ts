import http, { type IncomingHttpHeaders, type Server } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { SELF_SIGNED } from "./certificate.ts";

export interface Received {
	headers: IncomingHttpHeaders;
	body: string;
}

export interface Receiver {
	url: string;
	received: Received[];
	/** Status of the next answers, in order; 200 when used up. 0 never answers. */
	answers: number[];
	close(): Promise<void>;
}

/** A real HTTP(S) server on loopback that stores the requests it receives. */
export async function openReceiver(options: { tls?: boolean } = {}): Promise<Receiver> {
	const received: Received[] = [];
	const answers: number[] = [];
	const handle = (req: http.IncomingMessage, res: http.ServerResponse): void => {
		let body = "";
		req.setEncoding("utf8");
		req.on("data", (part: string) => {
			body += part;
		});
		req.on("end", () => {
			received.push({ headers: req.headers, body });
			const status = answers.shift() ?? 200;
			if (status === 0) return;
			res.writeHead(status, status >= 300 && status < 400 ? { location: "http://127.0.0.1:1/elsewhere" } : {});
			res.end(status >= 400 ? "the receiver's own words" : "ok");
		});
	};
	const server: Server | https.Server = options.tls ? https.createServer(SELF_SIGNED, handle) : http.createServer(handle);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `${options.tls ? "https" : "http"}://127.0.0.1:${port}/hook`,
		received,
		answers,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

export interface MailBox {
	url: string;
	mails: { to: string[]; text: string }[];
	/** Temporarily rejects this many mails (SMTP 451). */
	refuse: number;
	close(): Promise<void>;
}

/** A real SMTP server on loopback. */
export async function openMailBox(): Promise<MailBox> {
	const box: MailBox = { url: "", mails: [], refuse: 0, close: () => new Promise((resolve) => server.close(() => resolve())) };
	const server = new SMTPServer({
		authOptional: true,
		disabledCommands: ["STARTTLS", "AUTH"],
		onData(stream, session, callback) {
			let text = "";
			stream.on("data", (part: Buffer) => {
				text += part.toString("utf8");
			});
			stream.on("end", () => {
				if (box.refuse > 0) {
					box.refuse--;
					callback(Object.assign(new Error("try again later"), { responseCode: 451 }));
					return;
				}
				box.mails.push({ to: session.envelope.rcptTo.map((r) => r.address), text });
				callback();
			});
		},
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
	box.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
	return box;
}
