import { StartInstances$, type StartInstancesRequest, type StartInstancesResult } from "@aws-sdk/client-ec2";
import type { Machine } from "../book/records.ts";
import { Ec2Error, missingParameter } from "../ec2-error.ts";
import { machinesWithin, vcpuQuotaOf } from "../vcpu-quotas.ts";
import { stateView } from "../views/instance-view.ts";
import type { World } from "../world.ts";
import { defineAction } from "./action.ts";
import { requireMachines, stopDryRun } from "./instance-ids.ts";

/** Starts all named instances that are stopped, or none. Starting a running one is no error. A stopped machine holds no capacity or quota. */
export const startInstances = defineAction<StartInstancesRequest, StartInstancesResult>({
	operation: StartInstances$,
	supports: ["InstanceIds", "DryRun"],
	run(input, { world, region }) {
		const ids = input.InstanceIds ?? [];
		if (ids.length === 0) throw missingParameter("InstanceId");
		const machines = requireMachines(world, region, ids);
		for (const machine of machines) requireStartable(machine);
		stopDryRun(input.DryRun);
		const stopped = machines.filter(({ instance }) => instance.state === "stopped");
		requireQuota(world, region, stopped);
		return {
			StartingInstances: machines.map(({ instance }) => {
				const previous = instance.state;
				world.lifecycle.start(instance);
				return { InstanceId: instance.instanceId, PreviousState: stateView(previous), CurrentState: stateView(instance.state) };
			}),
		};
	},
});

function requireStartable({ instance: { instanceId, state } }: Machine): void {
	if (state === "stopping" || state === "shutting-down" || state === "terminated")
		throw new Ec2Error("IncorrectInstanceState", `The instance '${instanceId}' is not in a state from which it can be started.`);
}

function requireQuota(world: World, region: string, stopped: readonly Machine[]): void {
	for (const [type, machines] of Map.groupBy(stopped, ({ reservation }) => reservation.instanceType)) {
		const quota = vcpuQuotaOf(world.options, type, false);
		if (quota && machinesWithin(world, region, quota, type) < machines.length) throw new Ec2Error("VcpuLimitExceeded");
	}
}
