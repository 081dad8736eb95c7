import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
	DescribeInstancesCommand,
	DescribeSpotInstanceRequestsCommand,
	RunInstancesCommand,
	type RunInstancesCommandInput,
} from "@aws-sdk/client-ec2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { IdentityDocument } from "#server/agent/identity-document.ts";
import { Ec2Metadata } from "#server/agent/metadata.ts";
import { defined } from "#server/kernel/assert.ts";
import { awsIdentity } from "#server/providers/aws/identity.ts";
import type { IdentityAs } from "../shared/faults.ts";
import { eventually } from "../shared/testing/eventually.ts";
import { billedSeconds } from "./booked-instances.ts";
import { launchOf, SPOT, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

let emulator: TestEmulator;
beforeAll(async () => {
	emulator = await startTestEmulator({ spotNoticeMs: 2_000 });
});
afterAll(() => emulator.dispose());

const SCRIPT = '#!/bin/sh\necho "$AWS_EC2_METADATA_SERVICE_ENDPOINT" > endpoint\n';

/** A running machine and its metadata address, which only the guest can find. */
async function launch(overrides: Partial<RunInstancesCommandInput> = {}) {
	const { Instances: [instance] = [] } = await emulator.client().send(new RunInstancesCommand(launchOf(overrides, SCRIPT)));
	const id = instance?.InstanceId ?? "";
	const endpoint = await eventually("the guest's endpoint", () => {
		const path = join(bookOf(id)?.folder ?? "", "endpoint");
		return existsSync(path) ? readFileSync(path, "utf8").trim() || null : null;
	});
	return { id, endpoint, spotRequestId: instance?.SpotInstanceRequestId ?? "" };
}

const bookOf = (id: string) => emulator.instances().find(({ instanceId }) => instanceId === id);

async function tokenOf(endpoint: string, ttl = "60"): Promise<string> {
	const answer = await fetch(`${endpoint}/latest/api/token`, { method: "PUT", headers: { "x-aws-ec2-metadata-token-ttl-seconds": ttl } });
	if (!answer.ok) throw new Error(`no token: ${answer.status}`);
	return answer.text();
}

async function read(endpoint: string, token: string, path: string): Promise<string | number> {
	const answer = await fetch(`${endpoint}/latest/${path}`, { headers: { "x-aws-ec2-metadata-token": token } });
	return answer.ok ? answer.text() : answer.status;
}

describe("instance metadata", () => {
	it("signs the identity document in the format that the control plane checks, for that machine only", async () => {
		const { id, endpoint } = await launch();
		const ask = async () => defined(await new Ec2Metadata(endpoint).identityDocument(), "a document");
		const settings = { regions: ["us-east-1"], imageId: "ami-1", accountId: "123456789012" };
		const verify = (document: IdentityDocument, providerInstanceId = id) =>
			awsIdentity(emulator.url).verify(settings, {
				...{ document, providerInstanceId, instanceId: "ins_1", isKnown: true, signedId: null, region: "us-east-1" },
				...{ challenge: { audience: "", digits: "" }, controlPlane: "spw-test", nowMs: Date.now() },
			});
		expect(await verify(await ask())).toEqual({ outcome: "proved" });
		expect(await verify(await ask(), "i-0123456789abcdef0")).toMatchObject({ outcome: "refused", fault: "other_instance" });
		const spoil = (as: IdentityAs) => emulator.faults.add({ action: "metadata", behaviour: { kind: "identity", as } });
		spoil("other_machine");
		expect(await verify(await ask())).toMatchObject({ outcome: "refused", fault: "other_instance" });
		spoil("malformed");
		expect(await verify(await ask())).toMatchObject({ outcome: "refused", fault: "malformed" });
		spoil("absent");
		expect(await new Ec2Metadata(endpoint).identityDocument()).toBeNull();
		// Amazon's documents never expire.
		expect(() => spoil("expired")).toThrow(/cannot be expired/);
		expect(await verify(await ask())).toEqual({ outcome: "proved" });
	});

	it("describes a machine to itself", async () => {
		const { id, endpoint } = await launch({ Placement: { AvailabilityZone: "us-east-1b" } });
		const token = await tokenOf(endpoint);
		const get = (path: string) => read(endpoint, token, path);
		expect(await get("meta-data/instance-id")).toBe(id);
		expect(await get("meta-data/instance-type")).toBe("g5.xlarge");
		expect(await get("meta-data/placement/region")).toBe("us-east-1");
		expect(await get("meta-data/placement/availability-zone")).toBe("us-east-1b");
		expect(await get("meta-data/instance-life-cycle")).toBe("on-demand");
		expect(await get("meta-data/placement/")).toBe("availability-zone\nregion");
		expect(await get("user-data")).toBe(SCRIPT);
		expect(JSON.parse(String(await get("dynamic/instance-identity/document")))).toMatchObject({ instanceId: id, region: "us-east-1" });
		expect(await get("meta-data/spot/instance-action")).toBe(404);
		expect(await get("meta-data/constructor")).toBe(404);
	});

	it("requires a valid token of this machine", async () => {
		const { endpoint } = await launch();
		const other = await launch();
		const answer = await fetch(`${endpoint}/latest/meta-data/instance-id`);
		expect(answer.status).toBe(401);
		expect(await read(endpoint, "0.00", "meta-data/instance-id")).toBe(401);
		expect(await read(endpoint, await tokenOf(other.endpoint), "meta-data/instance-id")).toBe(401);
		const token = await tokenOf(endpoint);
		expect(
			await read(
				endpoint,
				token.replace(/^\d+/, (ms) => String(Number(ms) + 1)),
				"meta-data/instance-id",
			),
		).toBe(401);
		await expect(tokenOf(endpoint, "0")).rejects.toThrow("400");
		await expect(tokenOf(endpoint, "21601")).rejects.toThrow("400");
		const forwarded = await fetch(`${endpoint}/latest/meta-data/instance-id`, {
			headers: { "x-aws-ec2-metadata-token": token, "x-forwarded-for": "10.0.0.1" },
		});
		expect(forwarded.status).toBe(403);
	});

	it("does not exist for an unknown machine", async () => {
		await expect(fetch(`${emulator.url}/imds/0123456789abcdef/latest/api/token`, { method: "PUT" })).rejects.toThrow();
	});
});

describe("a spot interruption", () => {
	it("is announced to the guest, then the service ends the machine", async () => {
		const { id, endpoint, spotRequestId } = await launch({ InstanceMarketOptions: SPOT });
		const token = await tokenOf(endpoint);
		expect(await read(endpoint, token, "meta-data/instance-life-cycle")).toBe("spot");
		expect(await read(endpoint, token, "meta-data/spot/termination-time")).toBe(404);
		const statusOf = async () => {
			const { SpotInstanceRequests = [] } = await emulator
				.client()
				.send(new DescribeSpotInstanceRequestsCommand({ SpotInstanceRequestIds: [spotRequestId] }));
			return `${SpotInstanceRequests[0]?.State} ${SpotInstanceRequests[0]?.Status?.Code}`;
		};
		emulator.interrupt(id);
		const action: unknown = JSON.parse(String(await read(endpoint, token, "meta-data/spot/instance-action")));
		const time = await read(endpoint, token, "meta-data/spot/termination-time");
		expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
		expect(action).toEqual({ action: "terminate", time });
		expect(JSON.parse(String(await read(endpoint, token, "meta-data/events/recommendations/rebalance")))).toHaveProperty("noticeTime");
		expect(await statusOf()).toBe("active marked-for-termination");
		await eventually("terminated", () => bookOf(id)?.state === "terminated");
		expect(await statusOf()).toBe("closed instance-terminated-no-capacity");
		const { Reservations } = await emulator.client().send(new DescribeInstancesCommand({ InstanceIds: [id] }));
		expect(Reservations?.[0]?.Instances?.[0]?.StateReason?.Code).toBe("Server.SpotInstanceTermination");
		expect(bookOf(id)?.billedSeconds).toBe(0);
		await expect(tokenOf(endpoint)).rejects.toThrow();
	});

	it("does not exist for on-demand, unknown and ended machines", async () => {
		const { id } = await launch();
		expect(() => emulator.interrupt(id)).toThrow("is not a spot instance");
		expect(() => emulator.interrupt("i-0")).toThrow("no instance");
	});

	it("occurs automatically at the seeded rate", async () => {
		const often = await startTestEmulator({ interruptionsPerHour: 1_000_000 });
		await often.client().send(new RunInstancesCommand(launchOf({ InstanceMarketOptions: SPOT })));
		await eventually("the interruption", () => often.instances()[0]?.stateReasonCode === "Server.SpotInstanceTermination");
		await often.dispose();
	});
});

describe("billedSeconds", () => {
	it.each([
		[0, false, 0],
		[1, false, 60],
		[61_001, false, 62],
		[3_599_999, true, 0],
		[3_600_000, true, 3_600],
		[3_599_999, false, 3_600],
	])("of %i ms, interrupted: %s, are %i", (runningMs, wasInterrupted, seconds) => {
		expect(billedSeconds(runningMs, wasInterrupted)).toBe(seconds);
	});
});
