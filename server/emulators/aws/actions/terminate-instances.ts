import { TerminateInstances$, type TerminateInstancesRequest, type TerminateInstancesResult } from "@aws-sdk/client-ec2";
import { missingParameter } from "../ec2-error.ts";
import { END_CAUSES } from "../end-causes.ts";
import { stateView } from "../views/instance-view.ts";
import { defineAction } from "./action.ts";
import { requireMachines, stopDryRun } from "./instance-ids.ts";

/** Terminates all named instances, or none if one is unknown. Repeating the call is no error. */
export const terminateInstances = defineAction<TerminateInstancesRequest, TerminateInstancesResult>({
	operation: TerminateInstances$,
	supports: ["InstanceIds", "DryRun"],
	run(input, { world, region, delays }) {
		const ids = input.InstanceIds ?? [];
		if (ids.length === 0) throw missingParameter("InstanceId");
		const machines = requireMachines(world, region, ids);
		stopDryRun(input.DryRun);
		return {
			TerminatingInstances: machines.map((machine) => {
				const previous = machine.instance.state;
				world.lifecycle.end(machine.instance, END_CAUSES.user, "terminated", delays.terminationMs);
				return {
					InstanceId: machine.instance.instanceId,
					PreviousState: stateView(previous),
					CurrentState: stateView(machine.instance.state),
				};
			}),
		};
	},
});
