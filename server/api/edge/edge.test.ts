import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SpillwayError } from "#server/kernel/errors.ts";
import { refuse } from "../refuse.ts";
import { correctForwarded } from "./forwarded.ts";
import { createEdge, type Edge } from "./guard.ts";
import { allowedHosts, requireKnownHost, requireSameOrigin } from "./hosts.ts";
import { DOORS } from "./limits.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { scanJson } from "./scan-json.ts";

const codeOf = (act: () => unknown): string | null => {
	try {
		act();
		return null;
	} catch (error) {
		return error instanceof SpillwayError ? error.code : String(error);
	}
};

describe("hosts", () => {
	const allowed = allowedHosts({ publicUrl: "https://spillway.example.com", host: "0.0.0.0", more: ["alias.example.com"] });
	const host = (name: string | undefined, localAddress = "10.0.0.5") =>
		codeOf(() => requireKnownHost({ method: "GET", headers: name === undefined ? {} : { host: name }, socket: { localAddress } }, allowed));

	it("accepts configured hosts, loopback and its own address, on any port", () => {
		for (const name of [
			"spillway.example.com",
			"SPILLWAY.example.com:443",
			"alias.example.com.",
			"localhost:3000",
			"[::1]:3000",
			"10.0.0.5:3000",
		])
			expect(host(name), name).toBeNull();
		expect(host("10.0.0.5", "::ffff:10.0.0.5")).toBeNull();
		expect(host("[fd00::1]:3000", "fd00::1")).toBeNull();
	});

	it("rejects other names as misdirected, and malformed ones as invalid", () => {
		for (const name of ["evil.example.com", "localhost.evil.com", "10.0.0.6", "spillway.example.com.evil.com"])
			expect(host(name), name).toBe("misdirected");
		for (const name of [undefined, "", "a b", "x/y", "user@localhost", "localhost:port", "localhost:99999", "[::1", "\u00e9"])
			expect(host(name), name).toBe("invalid_input");
	});

	it("accepts writes from its own origin and from clients other than browsers", () => {
		const write = (headers: Record<string, string>, method = "POST") =>
			codeOf(() =>
				requireSameOrigin(
					{ method, headers: { host: "localhost:3000", ...headers }, socket: { localAddress: "127.0.0.1" } },
					"https://spillway.example.com",
				),
			);
		expect(write({})).toBeNull();
		expect(write({ origin: "http://localhost:3000" })).toBeNull();
		expect(write({ origin: "https://spillway.example.com" })).toBeNull();
		expect(write({ "sec-fetch-site": "same-origin" })).toBeNull();
		expect(write({ origin: "https://evil.example.com" }, "GET")).toBeNull();
		for (const origin of ["https://evil.example.com", "null", "http://localhost:4000", "", "http://localhost:3000.evil.com"])
			expect(write({ origin }), origin).toBe("forbidden");
		for (const site of ["cross-site", "same-site"]) expect(write({ "sec-fetch-site": site })).toBe("forbidden");
	});
});

describe("forwarded headers", () => {
	const allowed = allowedHosts({ publicUrl: "https://spillway.example.com", host: "0.0.0.0", more: ["alias.example.com"] });
	it.each([
		["the host and protocol of a proxy", { host: "web:3000" }, "spillway.example.com", "https", ["spillway.example.com", "https"]],
		["the first of several", { host: "web:3000" }, "alias.example.com, web", "HTTPS, http", ["alias.example.com", "https"]],
		["no host of another site", { host: "spillway.example.com" }, "evil.example.com", "http", ["spillway.example.com", "http"]],
		["no malformed host", { host: "alias.example.com" }, "x/y@spillway.example.com", "javascript", ["alias.example.com", undefined]],
		[
			"the protocol of SPILLWAY_URL if none is sent",
			{ host: "Spillway.example.com" },
			undefined,
			undefined,
			["Spillway.example.com", "https"],
		],
		["no protocol for another host", { host: "localhost:3000" }, undefined, undefined, ["localhost:3000", undefined]],
	])("keep %s", (_, own, forwardedHost, forwardedProto, expected) => {
		const headers = { ...own, "x-forwarded-host": forwardedHost, "x-forwarded-proto": forwardedProto };
		correctForwarded(headers, { publicUrl: "https://spillway.example.com", allowed });
		expect([headers["x-forwarded-host"], headers["x-forwarded-proto"]]).toEqual(expected);
	});
});

describe("JSON bounds", () => {
	const bounds = { depth: 5, members: 20, keys: 3 };
	const scan = (text: string) => codeOf(() => scanJson(Buffer.from(text), bounds));

	it("counts nesting and members outside strings", () => {
		expect(scan('{"a":[[[[1]]]]}')).toBeNull();
		expect(scan('{"a":[[[[[1]]]]]}')).toBe("payload_too_large");
		expect(scan(`{"a":"${"[{,:".repeat(50)}\\"[[[[[["}`)).toBeNull();
		expect(scan(`[${Array(30).fill("1").join(",")}]`)).toBe("payload_too_large");
		expect(scan("[".repeat(1_000_000))).toBe("payload_too_large");
		expect(scan('"open [')).toBeNull();
	});

	it("counts the members of each object separately", () => {
		expect(scan('{"a":1,"b":2,"c":3}')).toBeNull();
		expect(scan('{"a":1,"b":2,"c":3,"d":4}')).toBe("payload_too_large");
		expect(scan('[{"a":1,"b":2},{"a":1,"b":2},{"a":1,"b":2}]')).toBeNull();
		expect(scan('{"a":{"b":1,"c":2,"d":3},"e":{"f":1},"g":2}')).toBeNull();
		expect(scan('{"a":{"b":1,"c":2},"e":1,"f":2,"g":3}')).toBe("payload_too_large");
		expect(scan('}}:::::"')).toBeNull();
	});

	it("reject a job with 90,000 environment values before parsing", () => {
		const env = Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`V${i}`, "x"]));
		const send = (body: unknown) => codeOf(() => scanJson(Buffer.from(JSON.stringify(body)), DOORS.rest.json));
		expect(send({ spec: { env } })).toBe("payload_too_large");
		expect(send({ spec: { env: Object.fromEntries(Object.entries(env).slice(0, 10_000)) } })).toBeNull();
	});

	it("property: a document within the bounds passes, and no text fails in any other way", () => {
		fc.assert(
			fc.property(fc.json({ maxDepth: 4 }), (text) => {
				expect(codeOf(() => scanJson(Buffer.from(text), { depth: 10, members: text.length + 1, keys: text.length + 1 }))).toBeNull();
			}),
		);
		fc.assert(
			fc.property(fc.uint8Array(), (bytes) => {
				expect([null, "payload_too_large"]).toContain(codeOf(() => scanJson(bytes, bounds)));
			}),
		);
	});
});

describe("rate limits", () => {
	it("count per key and minute, and report what is left", () => {
		const limiter = new RateLimiter(2);
		expect(limiter.take("a", 0)).toEqual({ limit: 2, remaining: 1, resetSeconds: 60 });
		expect(limiter.take("a", 1_000)).toEqual({ limit: 2, remaining: 0, resetSeconds: 59 });
		expect(codeOf(() => limiter.take("a", 59_999))).toBe("too_many_requests");
		expect(limiter.take("b", 59_999).remaining).toBe(1);
		expect(limiter.take("a", 60_000).remaining).toBe(1);
	});
});

describe("page requests", () => {
	let server: Server;
	let edge: Edge;
	beforeAll(async () => {
		const limiter = new RateLimiter(1_000);
		edge = createEdge({
			publicUrl: "http://127.0.0.1",
			host: "127.0.0.1",
			moreHosts: [],
			limiter,
			nowMs: () => 0,
			addressOf: () => "192.0.2.1",
		});
		server = createServer((req, res) => {
			edge
				.admitPage(req, res)
				.then(async (admitted) => {
					const chunks: Buffer[] = [];
					for await (const chunk of admitted as AsyncIterable<Buffer>) chunks.push(chunk);
					res.end(`${admitted.method} ${admitted.url} ${admitted.headers["content-type"] ?? "-"} ${Buffer.concat(chunks)}`);
				})
				.catch((error: unknown) => refuse(res, error));
		});
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
	});
	afterAll(() => new Promise((resolve) => server.close(resolve)));

	async function call(
		path: string,
		body?: string,
		headers: Record<string, string> = {},
	): Promise<{ status: number; text: string; res: IncomingMessage }> {
		const { port } = server.address() as AddressInfo;
		const req = request({ port, host: "127.0.0.1", path, method: body === undefined ? "GET" : "POST", headers });
		req.on("error", () => undefined);
		req.end(body);
		const [res] = (await once(req, "response")) as [IncomingMessage];
		let text = "";
		for await (const chunk of res as AsyncIterable<Buffer>) text += chunk.toString();
		return { status: res.statusCode ?? 0, text, res };
	}

	it("keep a body within the limits unchanged", async () => {
		const json = { "content-type": "application/json" };
		expect((await call("/api/trpc/job.submit", '{"json":{"a":1}}', json)).text).toBe(
			'POST /api/trpc/job.submit application/json {"json":{"a":1}}',
		);
		const { text, res } = await call("/sign-in");
		expect(text).toBe("GET /sign-in - ");
		expect(res.headers).toMatchObject({
			"ratelimit-policy": '"default";q=1000;w=60',
			ratelimit: expect.stringMatching(/^"default";r=\d+;t=60$/),
		});
	});

	it("are rejected before parsing when too large, too deep or too many", async () => {
		const json = { "content-type": "application/json" };
		expect((await call("/sign-in", "x".repeat(DOORS.page.bodyBytes + 1))).status).toBe(413);
		expect((await call("/api/trpc/a", "[".repeat(100), json)).status).toBe(413);
		expect((await call("/api/trpc/a", `{${'"k":1,'.repeat(DOORS.trpc.json.members)}"k":1}`, json)).status).toBe(413);
		expect(
			(
				await call(
					`/api/trpc/${Array(DOORS.trpc.batch + 1)
						.fill("policy.check")
						.join(",")}?batch=1`,
				)
			).status,
		).toBe(413);
		expect(
			(
				await call(
					`/api/trpc/${Array(DOORS.trpc.batch + 1)
						.fill("policy.check")
						.join("%2C")}?batch=1`,
				)
			).status,
		).toBe(413);
	});
});
