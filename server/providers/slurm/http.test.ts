import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { type HttpRequest, sendHttp } from "./http.ts";

let server: Server | null = null;
afterEach(() => {
	server?.closeAllConnections();
	server?.close();
});

async function serving(answer: RequestListener): Promise<string> {
	const made = createServer(answer);
	server = made;
	await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
	return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

const asked = (url: string, changes: Partial<HttpRequest> = {}) =>
	sendHttp({ method: "GET", url, headers: {}, body: null, timeoutMs: 10_000, bytesMax: 1_000, ...changes });

it("sends a body with its length and returns any status with its text, over a persistent connection", async () => {
	const ports = new Set<number | undefined>();
	const url = await serving(async (request, response) => {
		ports.add(request.socket.remotePort);
		const body = (await request.setEncoding("utf8").toArray()).join("");
		response.writeHead(500).end(`${request.method} ${request.headers["content-length"]} ${request.headers["x-user"]} ${body}`);
	});
	for (let n = 0; n < 3; n++) {
		expect(await asked(url, { method: "POST", headers: { "x-user": "me" }, body: "höher" })).toEqual({
			status: 500,
			text: "POST 6 me höher",
		});
	}
	expect(ports.size).toBe(1);
});

it("waits for the complete response only until its timeout", async () => {
	const url = await serving((_, response) => void response.write("a beginning"));
	await expect(asked(url, { timeoutMs: 50 })).rejects.toMatchObject({ code: "ETIMEDOUT", message: "no response in 50 ms" });
});

it("has no response if the connection breaks in it, and does not retry", async () => {
	let questions = 0;
	const url = await serving((_, response) => {
		questions += 1;
		response.writeHead(200, { "content-length": "100" }).write("a beginning", () => response.destroy());
	});
	await expect(asked(url, { method: "POST", body: "{}" })).rejects.toMatchObject({ code: "ECONNRESET" });
	expect(questions).toBe(1);
});

it("uses the first response of a server that sends two and closes, as slurmrestd 26.05 does with an error", async () => {
	const answerOf = (text: string) => `HTTP/1.1 404 NOT FOUND\r\nConnection: Close\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
	const url = await serving((request) => void request.socket.end(`${answerOf('{"errors":[]}')}${answerOf("no such job")}`));
	expect(await asked(url)).toEqual({ status: 404, text: '{"errors":[]}' });
});

it("reads no more than its limit", async () => {
	const url = await serving((_, response) => void response.end("x".repeat(1_001)));
	await expect(asked(url)).rejects.toThrow("the response is too long");
});

it("sends its headers to no other host", async () => {
	let questions = 0;
	const url = await serving((_, response) => {
		questions += 1;
		response.writeHead(307, { location: "/elsewhere" }).end();
	});
	await expect(asked(url)).rejects.toThrow("it redirects to /elsewhere");
	expect(questions).toBe(1);
});
