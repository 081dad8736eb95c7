import { eq, inArray, sql } from "drizzle-orm";
import type { Commitment } from "#server/accounting/commitment.ts";
import { divideRounded } from "#server/accounting/focus/decimal.ts";
import type { BillLineFacts, CommitmentFacts, ExportFacts, InstanceFacts, StoredFacts } from "#server/accounting/focus/facts.ts";
import type { Db } from "#server/db/client.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { artifact } from "#server/db/schema/artifact.ts";
import { bill, billLine } from "#server/db/schema/bill.ts";
import { instance, type StoredOffer } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { StoredDisk } from "#server/db/schema/offer.ts";
import { site } from "#server/db/schema/site.ts";
import { store } from "#server/db/schema/store.ts";
import { isCopyId } from "#server/domain/charge.ts";
import { EMBEDDED_STORE } from "#server/domain/store.ts";
import type { Provider } from "#server/domain/vocabulary.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { egressMicroUsdPerGiB } from "#server/rates/egress.ts";
import { regionTransferMicroUsdPerGiB } from "#server/rates/region-transfer.ts";
import { pricedSource } from "#server/services/ledger/charge/copy-egress.ts";
import { readCommitments } from "#server/services/pricing/commitment/commitments.ts";
import { pricesOfStores } from "#server/services/pricing/store/prices.ts";
import type { SharedFields } from "./charge-lines.ts";

/** Export fields that charges do not contain. Loads many causes with one query per table. */
export async function loadFacts(db: Db, fields: readonly SharedFields[]): Promise<ExportFacts[]> {
	const ids = (pick: (f: SharedFields) => string | null) => [...new Set(fields.flatMap((f) => pick(f) ?? []))];
	const [sites, instances, allocations, jobs, lines, stored, commitments] = await Promise.all([
		db.select({ id: site.id, name: site.name }).from(site),
		loadInstances(
			db,
			ids((f) => f.instanceId),
		),
		loadAllocations(
			db,
			ids((f) => f.allocationId),
		),
		loadJobs(
			db,
			ids((f) => f.jobId),
		),
		loadBillLines(
			db,
			ids((f) => f.billLineId),
		),
		loadStored(
			db,
			ids((f) => f.artifactId),
		),
		readCommitments(db),
	]);
	const siteNames = new Map(sites.map((s) => [s.id, s.name]));
	return fields.map((f) => {
		const use = f.allocationId === null ? undefined : allocations.get(f.allocationId);
		const machine = (f.instanceId === null ? undefined : instances.get(f.instanceId)) ?? null;
		const kept = f.artifactId === null ? undefined : stored.get(f.artifactId);
		const work = f.jobId === null ? undefined : jobs.get(f.jobId);
		return {
			siteName: siteNames.get(f.siteId) ?? kept?.storeName ?? f.siteId,
			poolId: f.poolId ?? use?.poolId ?? null,
			poolMicroUsdPerGpuHour: use?.microUsdPerGpuHour ?? null,
			instance: readsElsewhere(f, machine) ? null : machine,
			commitment: commitmentOf(f, machine, commitments),
			billLine: (f.billLineId === null ? undefined : lines.get(f.billLineId)) ?? null,
			stored: kept ?? copyFacts(f, machine),
			job: work ? { project: f.project, class: f.class, ...work } : null,
		};
	});
}

/** Commitments: an unused part refers to its commitment; usage is paid by the commitment that covers the machine. */
function commitmentOf(f: SharedFields, machine: LoadedInstance | null, known: readonly Commitment[]): CommitmentFacts | null {
	if (f.kind !== "commitment" && f.capacityType !== "reserved") return null;
	const found = known.find((c) =>
		f.kind === "commitment"
			? c.id === f.poolId
			: c.siteId === f.siteId &&
				c.instanceType === machine?.instanceType &&
				(c.region === null || c.region === f.region) &&
				(machine.commitmentId ?? c.id) === c.id,
	);
	if (!found) return { id: f.poolId ?? `${f.siteId}/reserved`, kind: "commitment", microUsdPerHour: null };
	const upfrontByHour = divideRounded(found.upfrontMicroUsd * BigInt(HOUR_MS), BigInt(found.toMs - found.fromMs));
	const microUsdPerHour = divideRounded(upfrontByHour + found.hourlyMicroUsd, BigInt(found.instances));
	return { id: found.id, kind: found.kind, microUsdPerHour };
}

/** Whether it is the egress of data that a machine read from another cloud or region. */
function readsElsewhere({ kind, provider, region }: SharedFields, machine: LoadedInstance | null): boolean {
	return kind === "egress" && machine !== null && (machine.provider !== provider || machine.region !== region);
}

interface LoadedInstance extends InstanceFacts {
	provider: Provider;
	region: string;
	/** The commitment that it was launched on; null when none is recorded. */
	commitmentId: string | null;
}

async function loadInstances(db: Db, ids: string[]): Promise<Map<string, LoadedInstance>> {
	if (ids.length === 0) return new Map();
	const rows = await db
		.select({
			id: instance.id,
			providerInstanceId: instance.providerInstanceId,
			zone: instance.zone,
			provider: instance.provider,
			region: instance.region,
			instanceType: instance.instanceType,
			gpus: instance.gpus,
			microUsdPerHour: instance.microUsdPerHour,
			offer: instance.offer,
		})
		.from(instance)
		.where(anyOf(instance.id, ids));
	return new Map(
		rows.map((r) => [
			r.id,
			{
				resourceId: r.providerInstanceId ?? r.id,
				zone: r.zone,
				provider: r.provider,
				region: r.region,
				instanceType: r.instanceType,
				gpus: r.gpus,
				vcpus: r.offer.vcpus,
				memoryGiB: r.offer.memoryGiB,
				offerId: r.offer.id,
				commitmentId: r.offer.commitmentId ?? null,
				microUsdPerHour: r.microUsdPerHour,
				onDemandMicroUsdPerHour: listPriceOf(r.offer),
				egressMicroUsdPerGiB: BigInt(r.offer.egressMicroUsdPerGiB),
				disk: pricedDisk(r.offer.disk),
			},
		]),
	);
}

function pricedDisk(disk: StoredDisk | undefined): InstanceFacts["disk"] {
	if (!disk || disk.microUsdPerMonth === null) return null;
	return { type: disk.type, gib: disk.gib, microUsdPerMonth: BigInt(disk.microUsdPerMonth) };
}

function listPriceOf({ listMicroUsdPerHour, onDemandMicroUsdPerHour }: StoredOffer): bigint | null {
	const listed = listMicroUsdPerHour ?? onDemandMicroUsdPerHour;
	return listed === null ? null : BigInt(listed);
}

async function loadAllocations(db: Db, ids: string[]): Promise<Map<string, { poolId: string; microUsdPerGpuHour: bigint }>> {
	if (ids.length === 0) return new Map();
	const rows = await db
		.select({ id: allocation.id, poolId: allocation.poolId, microUsdPerGpuHour: allocation.microUsdPerGpuHour })
		.from(allocation)
		.where(anyOf(allocation.id, ids));
	return new Map(rows.map(({ id, ...rest }) => [id, rest]));
}

async function loadJobs(db: Db, ids: string[]): Promise<Map<string, { name: string; labels: Record<string, string> }>> {
	if (ids.length === 0) return new Map();
	const labels = sql<Record<string, string>>`coalesce(${job.spec}->'labels', '{}'::jsonb)`;
	const rows = await db.select({ id: job.id, name: job.name, labels }).from(job).where(anyOf(job.id, ids));
	return new Map(rows.map(({ id, ...rest }) => [id, rest]));
}

async function loadBillLines(db: Db, ids: string[]): Promise<Map<string, BillLineFacts>> {
	if (ids.length === 0) return new Map();
	const lines = await db
		.select({ id: billLine.id, billId: billLine.billId, values: billLine.values })
		.from(billLine)
		.where(anyOf(billLine.id, ids));
	const bills = await db
		.select({ id: bill.id, columns: bill.columns })
		.from(bill)
		.where(inArray(bill.id, [...new Set(lines.map((l) => l.billId))]));
	const columns = new Map(bills.map((b) => [b.id, b.columns]));
	return new Map(
		lines.map((line) => {
			const cell = (name: string) => line.values[columns.get(line.billId)?.indexOf(name) ?? -1] || null;
			return [
				line.id,
				{
					description: cell("ChargeDescription"),
					serviceName: cell("ServiceName") ?? "Other",
					serviceCategory: cell("ServiceCategory") ?? "Other",
					serviceSubcategory: cell("ServiceSubcategory"),
					resourceId: cell("ResourceId"),
					resourceType: cell("ResourceType"),
				},
			];
		}),
	);
}

async function loadStored(db: Db, ids: string[]): Promise<Map<string, StoredFacts & { storeName: string }>> {
	if (ids.length === 0) return new Map();
	const rows = await db
		.select({ id: artifact.id, name: artifact.name, storeId: artifact.storeId, team: store.team, storeName: store.name })
		.from(artifact)
		.leftJoin(store, eq(store.id, artifact.storeId))
		.where(anyOf(artifact.id, ids));
	const prices = await pricesOfStores(db);
	return new Map(
		rows.map(({ id, name, storeId, team, storeName }) => [
			id,
			{
				kind: "result" as const,
				name,
				prices: prices.get(storeId ?? EMBEDDED_STORE) ?? [],
				storeName: storeName === null ? "Embedded store" : `${team}/${storeName}`,
			},
		]),
	);
}

/** A copied data set is priced like a machine's egress: at the most expensive tier of its source. Its row may be deleted by now. */
function copyFacts(f: SharedFields, machine: LoadedInstance | null): StoredFacts | null {
	const { artifactId, instanceId, provider, region } = f;
	const name = readsElsewhere(f, machine) ? instanceId : artifactId;
	if (name === null || (name === artifactId && !isCopyId(name))) return null;
	const [from, to] = [`${provider}:${region}`, machine === null ? "" : `${machine.provider}:${machine.region}`];
	const source = pricedSource(from);
	const price = source && (regionTransferMicroUsdPerGiB(from, to) ?? egressMicroUsdPerGiB(source.provider, source.region));
	return { kind: "copy", name, prices: [{ fromMs: 0, microUsdPerGiBMonth: null, microUsdPerGiBEgress: price }] };
}

/** One array parameter for any number of ids: a statement takes at most 65,535 parameters. */
function anyOf(
	column: typeof instance.id | typeof allocation.id | typeof job.id | typeof billLine.id | typeof artifact.id,
	ids: readonly string[],
) {
	return sql`${column} in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`;
}
