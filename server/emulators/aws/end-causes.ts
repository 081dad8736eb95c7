import type { EndCause } from "../shared/lifecycle.ts";
import type { InstanceRecord } from "./book/records.ts";

/** Why a machine ends: EC2's StateReason, its StateTransitionReason, and the resulting status of its spot request. */
export interface Ec2EndCause extends EndCause {
	transition: string;
	spotStatus: NonNullable<InstanceRecord["spot"]>["statusCode"];
}

export const END_CAUSES = {
	user: {
		code: "Client.UserInitiatedShutdown",
		message: "Client.UserInitiatedShutdown: User initiated shutdown",
		transition: "User initiated",
		spotStatus: "instance-terminated-by-user",
	},
	guest: {
		code: "Client.InstanceInitiatedShutdown",
		message: "Client.InstanceInitiatedShutdown: Instance initiated shutdown",
		transition: "User initiated",
		spotStatus: "instance-terminated-by-user",
	},
	interruption: {
		code: "Server.SpotInstanceTermination",
		message: "Server.SpotInstanceTermination: Spot instance termination",
		transition: "Server.SpotInstanceTermination",
		spotStatus: "instance-terminated-no-capacity",
	},
	service: {
		code: "Server.InternalError",
		message: "Server.InternalError: the emulated EC2 endpoint was stopped and ended its machines",
		transition: "Server.InternalError",
		spotStatus: "instance-terminated-by-service",
	},
} as const satisfies Record<string, Ec2EndCause>;
