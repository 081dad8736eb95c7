import { DescribeKeyPairs$, type DescribeKeyPairsRequest, type DescribeKeyPairsResult } from "@aws-sdk/client-ec2";
import { requireKeyPairs } from "../account-network.ts";
import { hex17 } from "../catalog.ts";
import { defineAction } from "./action.ts";
import { stopDryRun } from "./instance-ids.ts";

export const describeKeyPairs = defineAction<DescribeKeyPairsRequest, DescribeKeyPairsResult>({
	operation: DescribeKeyPairs$,
	supports: ["KeyNames", "DryRun"],
	run(input, { world, region }) {
		stopDryRun(input.DryRun);
		const names = input.KeyNames ?? [];
		return {
			KeyPairs: (names.length > 0 ? requireKeyPairs(world, names) : world.options.keyPairs).map((KeyName) => ({
				...{ KeyName, KeyPairId: `key-${hex17(`${region}/${KeyName}`)}`, KeyType: "ed25519" as const },
			})),
		};
	},
});
