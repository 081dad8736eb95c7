import type { EndCause } from "../shared/lifecycle.ts";

/** Why a machine ends: the type of the operation that records it, and whether the machine's owner requested it. */
export const END_CAUSES = {
	user: { code: "delete", message: "deleted by its owner" },
	stop: { code: "stop", message: "stopped by its owner" },
	guest: { code: "compute.instances.guestTerminate", message: "Instance terminated by guest OS shutdown." },
	interruption: { code: "compute.instances.preempted", message: "Instance was preempted." },
	/** Its terminationTime or maxRunDuration was reached. */
	expired: { code: "delete", message: "The instance's run time is over." },
	service: { code: "compute.instances.hostError", message: "the emulated endpoint was stopped and ended its machines" },
} as const satisfies Record<string, EndCause>;
