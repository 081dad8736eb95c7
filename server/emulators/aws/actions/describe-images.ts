import { DescribeImages$, type DescribeImagesRequest, type DescribeImagesResult } from "@aws-sdk/client-ec2";
import { missingParameter } from "../ec2-error.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";

const ROOT = "/dev/sda1";
/** Properties of a typical Linux image. */
const ROOT_GIB = 8;

/** Any image exists, as for a launch. */
export const describeImages = defineAction<DescribeImagesRequest, DescribeImagesResult>({
	operation: DescribeImages$,
	supports: ["ImageIds", "DryRun"],
	run(input) {
		stopDryRun(input.DryRun);
		const ids = input.ImageIds ?? [];
		if (ids.length === 0) throw missingParameter("ImageId");
		return {
			Images: ids.map((ImageId) => ({
				...{ ImageId, State: "available" as const, RootDeviceName: ROOT, RootDeviceType: "ebs" as const },
				BlockDeviceMappings: [{ DeviceName: ROOT, Ebs: { VolumeSize: ROOT_GIB, VolumeType: "gp3" as const, DeleteOnTermination: true } }],
			})),
		};
	},
});
