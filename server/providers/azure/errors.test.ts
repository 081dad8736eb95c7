import { createServer, type Server } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { DriverError } from "../driver-errors.ts";
import { AzureCalls } from "./client.ts";
import { failureOf, toDriverError } from "./errors.ts";
import { azureSettingsSchema } from "./settings.ts";

/** In the SDK's format: Azure's code and the HTTP status next to the message. */
const refusal = (code: string, statusCode: number, message = `words of ${code}`) =>
	Object.assign(new Error(message), { name: "RestError", code, statusCode });
const named = (name: string, facts: object = {}) => Object.assign(new Error("words"), { name }, facts);

describe("an SDK error", () => {
	it.each([
		["no room", refusal("AllocationFailed", 409), "insufficient_capacity"],
		["no capacity in a zone", refusal("ZonalAllocationFailed", 409), "insufficient_capacity"],
		["a size that is not sold there", refusal("SkuNotAvailable", 409), "insufficient_capacity"],
		["a quota error, by its code", refusal("QuotaExceeded", 409), "quota_exceeded"],
		["a quota error, by its message", refusal("OperationNotAllowed", 409, "exceeding approved LowPriorityCores quota"), "quota_exceeded"],
		["the same code for something else", refusal("OperationNotAllowed", 409, "the disk is attached"), "invalid_request"],
		["the same code for throttling", refusal("OperationNotAllowed", 429, "too many requests, not a quota"), "throttled"],
		["throttling", refusal("TooManyRequests", 429), "throttled"],
		["a missing permission", refusal("AuthorizationFailed", 403), "unauthorized"],
		["a missing permission with another code", refusal("SomethingNew", 403), "unauthorized"],
		["an expired token", refusal("ExpiredAuthenticationToken", 401), "unauthorized"],
		["no credentials", named("CredentialUnavailableError"), "unauthorized"],
		["a wrong secret", named("AuthenticationError", { statusCode: 401 }), "unauthorized"],
		["a sign-in endpoint that does not respond", named("AuthenticationError", { statusCode: 503 }), "transient"],
		["a missing machine", refusal("ResourceNotFound", 404), "not_found"],
		["a missing resource group", refusal("ResourceGroupNotFound", 404), "invalid_request"],
		["a wrong field", refusal("InvalidParameter", 400), "invalid_request"],
		["a service failure", refusal("InternalExecutionError", 500), "transient"],
		["a time-out", named("AbortError"), "transient"],
		["a closed connection", named("RestError", { code: "ECONNRESET" }), "transient"],
		["a request that timed out at the service", refusal("RequestTimeout", 408), "transient"],
		["something that is not an error", "boom", "transient"],
	])("%s", (_what, thrown, kind) => {
		const error = toDriverError(thrown, "launch");
		expect(error).toBeInstanceOf(DriverError);
		expect(error).toMatchObject({ kind, providerCode: expect.stringMatching(/./), message: expect.stringMatching(/^Azure: launch: /) });
	});

	const dated = (code: string, offsetMs: number) =>
		Object.assign(refusal(code, 401), { response: { headers: new Headers({ date: new Date(Date.now() + offsetMs).toUTCString() }) } });
	const assertion = "AADSTS700024: Client assertion is not within its valid time range.";

	it.each([
		[
			"a token that is expired by the provider's clock",
			dated("ExpiredAuthenticationToken", 7_300_000),
			"wrong_clock",
			/2\.0 h behind the provider's.*NTP/,
		],
		["a token from the future", dated("InvalidAuthenticationToken", -7_300_000), "wrong_clock", /2\.0 h ahead of the provider's.*NTP/],
		["an assertion outside its validity", named("AuthenticationError", { statusCode: 400, message: assertion }), "wrong_clock", /NTP/],
		["an expired token, with equal clocks", dated("ExpiredAuthenticationToken", 0), "unauthorized", /words of/],
		["a missing permission, with a wrong clock", dated("AuthorizationFailed", 7_300_000), "unauthorized", /words of/],
	])("tells a wrong clock apart: %s", (_what, thrown, kind, words) => {
		expect(toDriverError(thrown, "launch")).toMatchObject({ kind, message: expect.stringMatching(words) });
	});

	it("that was already mapped is unchanged", () => {
		const mapped = new DriverError("throttled", "wait");
		expect(toDriverError(mapped, "launch")).toBe(mapped);
	});
});

it("a failure that Azure recorded on the machine is reported like a rejected request", () => {
	expect(failureOf("AllocationFailed", "no room", "launch")).toMatchObject({
		kind: "insufficient_capacity",
		providerCode: "AllocationFailed",
	});
	expect(failureOf("OSProvisioningTimedOut", "slow", "launch")).toMatchObject({ kind: "invalid_request" });
});

describe("the real client", () => {
	let server: Server | null = null;
	afterEach(() => {
		server?.closeAllConnections();
		server?.close();
	});

	const callsTo = async (answer: Parameters<typeof createServer>[1], answerTimeoutMs = 60_000) => {
		const listening = createServer(answer);
		server = listening;
		await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
		const address = listening.address();
		const endpoint = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
		const settings = {
			controlPlane: "test",
			subscriptionId: "00000000-0000-4000-8000-000000000000",
			resourceGroup: "g",
			regions: ["eastus"],
			subnets: {},
		};
		return new AzureCalls(azureSettingsSchema.parse({ ...settings, endpoint, answerTimeoutMs }));
	};

	it("gives up after the configured time, and does not retry", async () => {
		let asked = 0;
		const calls = await callsTo(() => {
			asked += 1;
		}, 300);
		await expect(calls.checkGroup()).rejects.toMatchObject({ kind: "transient" });
		// On a busy machine the time may pass before the first request arrives.
		expect(asked).toBeLessThanOrEqual(1);
	});

	it("also times out on a further page, and never returns half a list as the whole", async () => {
		const calls = await callsTo((request, response) => {
			if (request.url?.includes("page2")) return;
			const nextLink = `http://${request.headers.host}/page2`;
			response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ value: [], nextLink }));
		}, 300);
		await expect(calls.listRegion("eastus")).rejects.toMatchObject({ kind: "transient" });
	});

	it("rejects a response that is not Azure's", async () => {
		const calls = await callsTo((_request, response) => {
			response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ value: [{ name: "x" }] }));
		});
		await expect(calls.listRegion("eastus")).rejects.toMatchObject({ kind: "transient", providerCode: "UnexpectedAnswer" });
	});
});
