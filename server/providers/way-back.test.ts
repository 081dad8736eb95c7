import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { expect, it, onTestFinished } from "vitest";
import { type CheckStep, checkSteps } from "./check-steps.ts";
import { controlUrlStep, trackingStep } from "./way-back.ts";

async function check(controlUrl: string, endpoint?: string): Promise<CheckStep | undefined> {
	const [step] = await Array.fromAsync(checkSteps([controlUrlStep(controlUrl, endpoint)]));
	return step;
}

/** A web server on every address of this host, reached by its host name, which is not loopback. */
async function serve(answer: string): Promise<string> {
	const server = createServer((_, response) => response.end(answer)).listen(0);
	await new Promise((resolve) => server.once("listening", resolve));
	onTestFinished(() => void server.close());
	return `http://${hostname()}:${(server.address() as AddressInfo).port}`;
}

it("fails a real cloud with machines that would call this host by a name that any host has", async () => {
	expect(await check("http://127.0.0.1:3000")).toMatchObject({ outcome: "failed", fix: expect.stringContaining("SPILLWAY_URL") });
	expect(await check("http://localhost:3000", "https://ec2.copy.example")).toMatchObject({ outcome: "failed" });
});

it("reports a cluster with jobs that cannot reach the address for their metrics", async () => {
	const [own] = await Array.fromAsync(checkSteps([trackingStep("http://0.0.0.0:3000")]));
	expect(own).toMatchObject({ outcome: "unknown", fix: expect.stringContaining("SPILLWAY_URL") });
	const [shared] = await Array.fromAsync(checkSteps([trackingStep("https://spillway.example.com")]));
	expect(shared).toMatchObject({ outcome: "passed", fix: null });
});

it("passes an emulated cloud with machines on this host", async () => {
	expect(await check("http://127.0.0.1:3000", "http://127.0.0.1:3010")).toMatchObject({ outcome: "passed" });
});

it("fails an address that would be called unencrypted over the Internet", async () => {
	expect(await check("http://spillway.example.com")).toMatchObject({ outcome: "failed", found: expect.stringContaining("unencrypted") });
});

it("passes an address that responds as a control plane, and reports that it is plain http", async () => {
	const url = await serve(JSON.stringify({ instance: "main", scheduler: "leading" }));
	expect(await check(url)).toMatchObject({ outcome: "passed", found: expect.stringMatching(/responds as Spillway\. This is plain http/) });
});

it("is unknown for an address that responds otherwise, or not at all", async () => {
	expect(await check(await serve("<html>"))).toMatchObject({
		outcome: "unknown",
		found: expect.stringContaining("something else answers"),
	});
	const gone = "https://spillway.invalid";
	expect(await check(gone)).toMatchObject({
		outcome: "unknown",
		found: expect.stringContaining(gone),
		fix: expect.stringContaining("instances' network"),
	});
});
