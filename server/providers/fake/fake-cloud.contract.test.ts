import { describeCloudDriverContract } from "../contract/cloud-contract.ts";
import { aLaunch, type LaunchRefusal } from "../contract/cloud-harness.ts";
import type { DriverErrorKind } from "../driver-errors.ts";
import { FakeCloud } from "./fake-cloud.ts";
import { fakeOffer } from "./fake-offers.ts";
import { FakeTimers } from "./timers.ts";

const REGIONS: [string, string] = ["us-east-1", "eu-west-1"];

const REFUSALS: Record<LaunchRefusal, { error: DriverErrorKind; providerCode: string }> = {
	no_capacity: { error: "insufficient_capacity", providerCode: "InsufficientInstanceCapacity" },
	spot_count_quota: { error: "quota_exceeded", providerCode: "MaxSpotInstanceCountExceeded" },
	vcpu_quota: { error: "quota_exceeded", providerCode: "VcpuLimitExceeded" },
	throttled: { error: "throttled", providerCode: "RequestLimitExceeded" },
	unauthorized: { error: "unauthorized", providerCode: "UnauthorizedOperation" },
	server_error: { error: "transient", providerCode: "InternalError" },
};

describeCloudDriverContract("fake", async () => {
	const DELAY_MS = 60_000;
	const timers = new FakeTimers(1_700_000_000_000);
	const offers = REGIONS.flatMap((region) => [
		fakeOffer({ region }),
		fakeOffer({ region, instanceType: "p4d.24xlarge" }),
		fakeOffer({ region, zone: `${region}a`, capacityType: "spot", microUsdPerHour: 300_000n }),
		fakeOffer({ region, zone: `${region}b`, capacityType: "spot", microUsdPerHour: null }),
	]);
	const cloud = new FakeCloud({ clock: timers.clock, regions: REGIONS, offers, bootDelayMs: 20, terminateDelayMs: 10 });
	const harness = {
		driver: cloud.driver("aws", "contract"),
		again: () => cloud.driver("aws", "contract"),
		withoutSecondRegion: () => cloud.driver("aws", "contract", [REGIONS[0]]),
		otherControlPlane: () => cloud.driver("aws", "somebody-else"),
		regions: REGIONS,
		instanceType: "g5.xlarge",
		interconnect: {
			instanceType: "p4d.24xlarge",
			placedTogether: (name: string) => cloud.placedTogether(name.replace("spillway-", "")),
		},
		moreThanAPage: 12,
		passTime: async () => timers.advance(5),
		cleanup: async () => {},
		wire: null,
		faults: {
			refuseNextLaunch: (refusal: LaunchRefusal) => cloud.launches.next({ kind: "error", ...REFUSALS[refusal] }),
			loseNextLaunchAnswer: () => cloud.launches.next({ kind: "lose_answer" }),
			delayNextLaunchAnswer: () => {
				cloud.launches.next({ kind: "delayed_create", durationMs: 100 });
				return harness.driver;
			},
			hideNextLaunch: () => {
				cloud.launches.next({ kind: "invisible", durationMs: DELAY_MS });
				return () => timers.advance(DELAY_MS);
			},
			slowNextTermination: () => {
				cloud.launches.next({ kind: "slow_terminate", durationMs: DELAY_MS });
				return () => timers.advance(DELAY_MS);
			},
			refuseCredentials: () => cloud.calls.fail("check", "unauthorized"),
			failRegion: (question: "list" | "offers", region: string) => cloud.calls.fail(question, "transient", { region }),
			plantTaggedStranger: async (region: string) => cloud.plantStranger("contract", aLaunch(harness, { region })).providerInstanceId,
			plantUntagged: async (region: string) => {
				cloud.plantStranger("", aLaunch(harness, { region }));
			},
		},
	};
	return harness;
});
