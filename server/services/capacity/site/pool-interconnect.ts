import { type PoolInterconnect, poolInterconnectsSchema } from "#server/domain/interconnect.ts";
import { valueOfPool } from "#server/domain/pool-speed.ts";
import { resolveAlias } from "#server/rates/accelerators.ts";

/** The network between a pool's nodes from its site's setting `interconnect`; undefined when it is not declared. */
export function poolInterconnect(
	{ interconnect }: Record<string, unknown>,
	pool: { id: string; accelerator: string },
): PoolInterconnect | undefined {
	return valueOfPool(poolInterconnectsSchema.safeParse(interconnect).data, pool, (name) => resolveAlias(name) ?? name);
}
