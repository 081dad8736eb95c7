import { defined } from "#server/kernel/assert.ts";
import { Lifecycle } from "../shared/lifecycle.ts";
import type { InstanceRecord, Machine } from "./book/records.ts";
import type { Store } from "./book/store.ts";
import { type Ec2EndCause, END_CAUSES } from "./end-causes.ts";
import type { ResolvedOptions } from "./options.ts";

export type Ec2Lifecycle = Lifecycle<InstanceRecord, Ec2EndCause>;

/**
 * The lifecycle of EC2 instances: the records that the service keeps besides their states, and what a guest learns about its
 * service.
 */
export function ec2Lifecycle(options: ResolvedOptions, store: Store, url: () => string): Ec2Lifecycle {
	const machineOf = (instance: InstanceRecord): Machine => defined(store.machine(instance.instanceId), instance.instanceId);
	return new Lifecycle<InstanceRecord, Ec2EndCause>(options, {
		machines: () => store.machines().map(({ instance }) => instance),
		save: (instance) => store.save(machineOf(instance).reservation),
		folderOf: (instanceId) => store.folderOf(instanceId),
		isSpot: (instance) => instance.spot !== null,
		endsRun: () => true,
		bootsAgainBy: "per_boot_scripts",
		bootPlanOf(instance) {
			const metadataUrl = `${url()}/imds/${instance.metadataSecret}`;
			const environment = { AWS_EC2_METADATA_SERVICE_ENDPOINT: metadataUrl };
			return { userData: machineOf(instance).reservation.userData, metadataUrl, environment };
		},
		causes: END_CAUSES,
		onEnding(instance, cause, nowMs) {
			instance.stateTransitionReason = `${cause.transition} (${new Date(nowMs).toISOString().slice(0, 19).replace("T", " ")} GMT)`;
			setSpotStatus(instance, cause.spotStatus, nowMs);
		},
		onNotice: (instance, nowMs) => setSpotStatus(instance, "marked-for-termination", nowMs),
		labelOf: (instance) => `${instance.instanceId} (${machineOf(instance).reservation.instanceType}, ${instance.zone})`,
	});
}

function setSpotStatus(instance: InstanceRecord, statusCode: Ec2EndCause["spotStatus"], nowMs: number): void {
	if (!instance.spot) return;
	instance.spot.statusCode = statusCode;
	instance.spot.statusAtMs = nowMs;
}
