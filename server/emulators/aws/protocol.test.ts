import { DescribeInstancesCommand, DescribeVpcsCommand, EC2ServiceException, RunInstancesCommand } from "@aws-sdk/client-ec2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLoopbackAddress, isLoopbackHost } from "../shared/http/answer.ts";
import { launchOf, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

let emulator: TestEmulator;
beforeAll(async () => {
	emulator = await startTestEmulator();
});
afterAll(() => emulator.dispose());

const AUTHORIZATION = "AWS4-HMAC-SHA256 Credential=AKIAEMULATED/20261121/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0";

async function raw(form: string, headers: Record<string, string> = {}): Promise<{ status: number; code: string | undefined }> {
	const answer = await fetch(emulator.url, { method: "POST", body: form, headers: { authorization: AUTHORIZATION, ...headers } });
	return { status: answer.status, code: /<Code>(.*)<\/Code>/.exec(await answer.text())?.[1] };
}

describe("the EC2 Query protocol", () => {
	it("gives the SDK its own exception class, with the code as its name, the status and a request id", async () => {
		const error: unknown = await emulator
			.client()
			.send(new DescribeInstancesCommand({ InstanceIds: ["i-0123456789abcdef0"] }))
			.catch((caught: unknown) => caught);
		expect(error).toBeInstanceOf(EC2ServiceException);
		expect(error).toMatchObject({
			name: "InvalidInstanceID.NotFound",
			message: "The instance ID 'i-0123456789abcdef0' does not exist",
			$metadata: { httpStatusCode: 400, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
		});
	});

	it("rejects an action that Amazon has but the emulator does not", async () => {
		await expect(emulator.client().send(new DescribeVpcsCommand({}))).rejects.toMatchObject({ name: "InvalidAction" });
	});

	it.each([
		["Version=2016-11-15", 400, "MissingParameter"],
		["Action=FlyToTheMoon&Version=2016-11-15", 400, "InvalidAction"],
		["Action=constructor&Version=2016-11-15", 400, "InvalidAction"],
		["Action=DescribeInstances", 400, "NoSuchVersion"],
		["Action=DescribeInstances&Version=2010-01-01", 400, "NoSuchVersion"],
		["Action=DescribeInstances&Version=2016-11-15&Colour=blue", 400, "UnknownParameter"],
		["Action=DescribeInstances&Version=2016-11-15&MaxResults=many", 400, "InvalidParameterValue"],
		["Action=TerminateInstances&Version=2016-11-15", 400, "MissingParameter"],
		[`Action=DescribeInstances&Version=2016-11-15&NextToken=${"x".repeat(1_100_000)}`, 413, "MalformedQueryString"],
	])("answers %.60s with %i %s", async (form, status, code) => {
		expect(await raw(form)).toEqual({ status, code });
	});

	it("rejects parameters that Amazon accepts and the emulator would have to ignore", async () => {
		const launch = new RunInstancesCommand(launchOf({ DisableApiTermination: true }));
		await expect(emulator.client().send(launch)).rejects.toMatchObject({
			name: "UnsupportedOperation",
			message: expect.stringContaining("DisableApiTermination"),
		});
	});

	it("accepts only the configured access key and known regions", async () => {
		const stranger = emulator.client("us-east-1", { accessKeyId: "AKIASTRANGER" });
		await expect(stranger.send(new DescribeInstancesCommand({}))).rejects.toMatchObject({
			name: "AuthFailure",
			$metadata: { httpStatusCode: 401 },
		});
		await expect(emulator.client("mars-north-1").send(new DescribeInstancesCommand({}))).rejects.toMatchObject({ name: "AuthFailure" });
	});

	it("keeps the regions separate", async () => {
		const { Instances: [instance] = [] } = await emulator.client("eu-west-1").send(new RunInstancesCommand(launchOf()));
		const here = new DescribeInstancesCommand({ InstanceIds: [instance?.InstanceId ?? ""] });
		expect((await emulator.client("eu-west-1").send(here)).Reservations).toHaveLength(1);
		await expect(emulator.client("us-east-1").send(here)).rejects.toMatchObject({ name: "InvalidInstanceID.NotFound" });
	});
});

describe("access", () => {
	it("is limited to this host", () => {
		expect(["127.0.0.1", "::1", "::ffff:127.0.0.1", "127.8.9.1"].every(isLoopbackAddress)).toBe(true);
		expect(["10.0.0.1", "::ffff:10.0.0.1", "127.0.0.1.evil.example", undefined].some(isLoopbackAddress)).toBe(false);
		expect(isLoopbackHost("127.0.0.1:4566")).toBe(true);
		expect(["evil.example", "127.0.0.1.evil.example:80", undefined].some(isLoopbackHost)).toBe(false);
	});

	it("is denied to web pages at the control endpoint", async () => {
		const answer = await fetch(`${emulator.url}/_emulator/instances`, { headers: { origin: "http://evil.example" } });
		expect(answer.status).toBe(403);
	});
});
