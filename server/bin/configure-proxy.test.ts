import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import { connect } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { DescribeRegionsCommand, EC2Client } from "@aws-sdk/client-ec2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientConfig } from "#server/providers/aws/client-config.ts";

const root = path.resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

/** A forward proxy that records its requests, answers plain HTTP itself and refuses tunnels to port 443. */
const asked: string[] = [];
let proxy: Server;
let proxyUrl: string;
beforeAll(async () => {
	proxy = createServer((_, res) => res.end("by the proxy"));
	proxy.on("connect", (req, client) => {
		asked.push(`CONNECT ${req.url}`);
		if (req.url?.endsWith(":443")) return void client.end("HTTP/1.1 503 Unavailable\r\n\r\n");
		const own = connect(portOf(proxy), "127.0.0.1", () => {
			client.write("HTTP/1.1 200 Connection established\r\n\r\n");
			own.pipe(client).pipe(own);
		});
	});
	await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
	proxyUrl = `http://127.0.0.1:${portOf(proxy)}`;
});
function portOf(server: Server): number {
	const address = server.address();
	return typeof address === "object" && address ? address.port : 0;
}
afterAll(() => new Promise((resolve) => proxy.close(resolve)));

const program = `
	const { configureProxy } = await import("${path.join(root, "server/bin/configure-proxy.ts")}");
	configureProxy();
	const answer = await fetch(process.argv[1]).then((a) => a.text(), (error) => "failed: " + (error.cause?.message ?? error.message));
	console.log(answer);`;
async function fetchWith(env: Record<string, string>, url: string): Promise<string> {
	const rest = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(https?|no)_proxy$/i.test(name)));
	const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program, url], {
		cwd: root,
		env: { ...rest, ...env, NODE_ENV: "test" },
	});
	return stdout.trim();
}

describe("outgoing calls", () => {
	it("go through HTTP_PROXY, and through HTTPS_PROXY by CONNECT", async () => {
		expect(await fetchWith({ HTTP_PROXY: proxyUrl }, "http://prices.example.internal/list")).toBe("by the proxy");
		await fetchWith({ HTTPS_PROXY: proxyUrl }, "https://prices.example.internal/list");
		expect(asked).toEqual(["CONNECT prices.example.internal:80", "CONNECT prices.example.internal:443"]);
	});
	it("go directly to the hosts of NO_PROXY, and everywhere without a proxy", async () => {
		const before = asked.length;
		const direct = createServer((_, res) => res.end("direct"));
		await new Promise<void>((resolve) => direct.listen(0, "127.0.0.1", resolve));
		const url = `http://127.0.0.1:${portOf(direct)}/`;
		expect(await fetchWith({ HTTP_PROXY: proxyUrl, NO_PROXY: "127.0.0.1" }, url)).toBe("direct");
		expect(await fetchWith({}, url)).toBe("direct");
		expect(asked.length).toBe(before);
		await new Promise((resolve) => direct.close(resolve));
	});
	it("of AWS's library go through it too", async () => {
		const before = asked.length;
		const settings = {
			...{ endpoint: "https://ec2.example.internal", connectTimeoutMs: 20_000, answerTimeoutMs: 20_000 },
			credentials: { accessKeyId: "AKIA", secretAccessKey: "secret" },
		};
		const client = new EC2Client({ ...clientConfig(settings, "us-east-1", { NODE_ENV: "test", HTTPS_PROXY: proxyUrl }), maxAttempts: 1 });
		await expect(client.send(new DescribeRegionsCommand({}))).rejects.toThrow();
		client.destroy();
		expect(asked.slice(before)).toEqual(["CONNECT ec2.example.internal:443"]);
	});
});
