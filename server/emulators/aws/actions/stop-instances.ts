import { StopInstances$, type StopInstancesRequest, type StopInstancesResult } from "@aws-sdk/client-ec2";
import type { Machine } from "../book/records.ts";
import { Ec2Error, missingParameter } from "../ec2-error.ts";
import { END_CAUSES } from "../end-causes.ts";
import { stateView } from "../views/instance-view.ts";
import { defineAction } from "./action.ts";
import { requireMachines, stopDryRun } from "./instance-ids.ts";

/** Stops all named instances, or none if one cannot be stopped. Stopping a stopped one is no error. */
export const stopInstances = defineAction<StopInstancesRequest, StopInstancesResult>({
	operation: StopInstances$,
	supports: ["InstanceIds", "DryRun"],
	run(input, { world, region, delays }) {
		const ids = input.InstanceIds ?? [];
		if (ids.length === 0) throw missingParameter("InstanceId");
		const machines = requireMachines(world, region, ids);
		for (const machine of machines) requireStoppable(machine);
		stopDryRun(input.DryRun);
		return {
			StoppingInstances: machines.map(({ instance }) => {
				const previous = instance.state;
				world.lifecycle.end(instance, END_CAUSES.user, "stopped", delays.terminationMs);
				return { InstanceId: instance.instanceId, PreviousState: stateView(previous), CurrentState: stateView(instance.state) };
			}),
		};
	},
});

/** Source: EC2 User Guide, "Stop a Spot Instance" (persistent requests only) and "Stop and start Amazon EC2 instances". */
function requireStoppable({ instance }: Machine): void {
	const { instanceId, spot, state } = instance;
	if (spot) {
		throw new Ec2Error(
			"UnsupportedOperation",
			`You can't stop the Spot Instance '${instanceId}' because it is associated with a one-time Spot Instance request. You can only stop Spot Instances associated with persistent Spot Instance requests.`,
		);
	}
	if (state === "pending" || state === "shutting-down" || state === "terminated")
		throw new Ec2Error("IncorrectInstanceState", `The instance '${instanceId}' is not in a state from which it can be stopped.`);
}
