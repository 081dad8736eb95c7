import { createServer, type Server } from "node:http";
import { EC2Client, EC2ServiceException, RunInstancesCommand } from "@aws-sdk/client-ec2";
import { afterEach, describe, expect, it } from "vitest";
import { DriverError } from "../driver-errors.ts";
import { toDriverError } from "./errors.ts";

const exception = (name: string, httpStatusCode: number) =>
	new EC2ServiceException({
		name,
		message: `words of ${name}`,
		$fault: httpStatusCode < 500 ? "client" : "server",
		$metadata: { httpStatusCode },
	});

describe("what the SDK throws", () => {
	it.each([
		["InsufficientInstanceCapacity", 500, "insufficient_capacity"],
		["Unsupported", 400, "insufficient_capacity"],
		["MaxSpotInstanceCountExceeded", 400, "quota_exceeded"],
		["VcpuLimitExceeded", 400, "quota_exceeded"],
		["InstanceLimitExceeded", 400, "quota_exceeded"],
		["RequestLimitExceeded", 503, "throttled"],
		["UnauthorizedOperation", 403, "unauthorized"],
		["AuthFailure", 401, "unauthorized"],
		["ExpiredToken", 400, "unauthorized"],
		["IdempotentParameterMismatch", 400, "token_mismatch"],
		["InvalidInstanceID.NotFound", 400, "not_found"],
		["InvalidAMIID.NotFound", 400, "invalid_request"],
		["InvalidParameterValue", 400, "invalid_request"],
		["InternalError", 500, "transient"],
		["Unavailable", 503, "transient"],
		["SomethingOfNextYear", 502, "transient"],
	] as const)("%s (%i) is %s", (code, status, kind) => {
		const error = toDriverError(exception(code, status), "launch of g5.xlarge in us-east-1");
		expect(error).toMatchObject({ kind, providerCode: code });
		expect(error.message).toBe(`AWS: launch of g5.xlarge in us-east-1: ${code}: words of ${code}`);
	});

	const dated = (name: string, offsetMs: number | null, message = "words") =>
		Object.assign(exception(name, 400), {
			message,
			$response: { headers: offsetMs === null ? {} : { date: new Date(Date.now() + offsetMs).toUTCString() } },
		});

	it.each([
		["with a name that says so", dated("RequestTimeTooSkewed", null), "wrong_clock", /differ too much.*NTP/],
		["by the date of the response", dated("RequestExpired", 3 * 3_600_000), "wrong_clock", /3\.0 h behind the provider's.*NTP/],
		["a signature dated tomorrow", dated("SignatureDoesNotMatch", -86_400_000), "wrong_clock", /24\.0 h ahead of the provider's/],
		[
			"by AWS's message",
			dated("InvalidSignatureException", null, "Signature expired: 20261123T080000Z is now earlier"),
			"wrong_clock",
			/NTP/,
		],
		["expired temporary credentials, with a correct clock", dated("RequestExpired", 0), "unauthorized", /RequestExpired: words$/],
		["a wrong key, with a correct clock", dated("AuthFailure", 1_000), "unauthorized", /AuthFailure: words$/],
		["no capacity, with a wrong clock", dated("InsufficientInstanceCapacity", 7_200_000), "insufficient_capacity", /words$/],
	] as const)("tells a wrong clock apart: %s", (_what, thrown, kind, words) => {
		expect(toDriverError(thrown, "x")).toMatchObject({ kind, message: expect.stringMatching(words) });
	});

	it("is transient if there is no response at all", () => {
		expect(toDriverError("?", "x").kind).toBe("transient");
		expect(toDriverError(new DriverError("throttled", "ours"), "x").kind).toBe("throttled");
	});
});

describe("what a broken connection gives", () => {
	let server: Server | null = null;
	let client: EC2Client | null = null;
	afterEach(() => {
		client?.destroy();
		server?.closeAllConnections();
		server?.close();
	});

	/** The driver error of a launch against a server that handles requests like this. */
	async function launchAgainst(onRequest: Parameters<typeof createServer>[1]): Promise<DriverError> {
		const listening = createServer(onRequest ?? (() => {}));
		server = listening;
		await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
		const address = listening.address();
		const port = typeof address === "object" && address ? address.port : 0;
		client = new EC2Client({
			endpoint: `http://127.0.0.1:${port}`,
			region: "us-east-1",
			maxAttempts: 1,
			credentials: { accessKeyId: "a", secretAccessKey: "b" },
			requestHandler: { requestTimeout: 100, throwOnRequestTimeout: true },
		});
		const command = new RunInstancesCommand({ MinCount: 1, MaxCount: 1, ImageId: "ami-1" });
		return client.send(command).then(
			() => expect.unreachable("the launch was answered"),
			(error: unknown) => toDriverError(error, "launch"),
		);
	}

	it.each([
		["a closed connection", (request: { destroy(): void }) => request.destroy()],
		["a timeout", () => {}],
		["a response that is not XML", (_request: unknown, response: { end(text: string): void }) => response.end("<html>proxy")],
	])("is transient: %s", async (_what, onRequest) => {
		expect((await launchAgainst(onRequest)).kind).toBe("transient");
	});
});
