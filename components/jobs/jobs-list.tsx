"use client";
import { useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { type ReactNode, useMemo, useState } from "react";
import { saveCsv } from "#components/csv/csv.ts";
import { ColumnMenu } from "#components/data-table/column-menu.tsx";
import { DataTable } from "#components/data-table/data-table.tsx";
import type { JobView } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { notify } from "#components/ui/toast.tsx";
import { countJobs } from "./action-results.ts";
import { BulkActions } from "./bulk-actions.tsx";
import { jobColumns, jobPhoneFacts } from "./columns.tsx";
import { jobsCsv } from "./csv.ts";
import { HiddenMatches } from "./hidden-matches.tsx";
import { JobsEmpty } from "./jobs-empty.tsx";
import { JobsToolbar } from "./jobs-toolbar.tsx";
import { parseSort, writeSort } from "./order.ts";
import { jobSearchParams } from "./search-params.ts";
import { useJobs } from "./use-jobs.ts";
import { useSteadyGroups } from "./use-steady-groups.ts";
import { isFiltered } from "./views.ts";

/** The job list with filters; the whole view is in the URL. */
export function JobsList() {
	const [search, setSearch] = useQueryStates(jobSearchParams);
	const router = useRouter();
	const data = useJobs(search);
	const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
	const steady = useSteadyGroups(data.groups, data.key, selected.size > 0);
	const rows = steady.groups.flatMap((g) => g.rows);
	const chosen = rows.filter((row) => selected.has(row.id));
	const columns = useMemo(
		() => jobColumns({ axisMs: data.axisMs, rates: data.rates, sortable: !data.more }),
		[data.axisMs, data.rates, data.more],
	);
	const visible = useMemo(() => new Set(columns.map((c) => c.id).filter((id) => !search.hide.includes(id))), [columns, search.hide]);
	const clear = () => void setSearch({ state: null, team: null, class: null, site: null, q: null });
	return (
		<>
			<JobsToolbar
				end={
					<>
						<Held count={steady.waiting} onRelease={steady.release} />
						<ColumnMenu
							columns={columns}
							visible={visible}
							fixed={["name"]}
							onChange={(next) => void setSearch({ hide: columns.map((c) => c.id).filter((id) => !next.has(id)) })}
						/>
						<Button variant="quiet" disabled={rows.length === 0} onClick={() => exportCsv(rows, data.more)}>
							Export CSV
						</Button>
					</>
				}
			/>
			<HiddenMatches search={search} />
			<div className="border-t bg-panel" {...steady.bind}>
				{rows.length === 0 && !data.more ? (
					<JobsEmpty
						view={search.view}
						filtered={isFiltered(search)}
						searched={search.q !== ""}
						onClear={clear}
						maySubmit={data.maySubmit}
					/>
				) : (
					<DataTable
						label="Jobs"
						columns={columns}
						visible={visible}
						groups={data.labelled(steady.groups)}
						rowId={(job) => job.id}
						rowName={(job) => job.name}
						phone={(job) => jobPhoneFacts(job, data.rates, data.axisMs)}
						sort={parseSort(search.sort)}
						onSort={(next) => void setSearch({ sort: writeSort(next) })}
						onOpen={(job) => router.push(`/jobs/${job.id}`)}
						{...(data.maySubmit ? { selection: { selected, onChange: setSelected } } : {})}
						total={rows.length + (data.more ? 1 : 0)}
						onEndReached={data.readMore}
						foot={<Foot more={data.more} failed={data.moreFailed} onRetry={data.readMore} />}
					/>
				)}
			</div>
			<BulkActions
				selected={chosen}
				onClear={() => {
					setSelected(new Set());
					steady.release();
				}}
			/>
		</>
	);
}

function Held({ count, onRelease }: { count: number; onRelease: () => void }): ReactNode {
	return (
		<span role="status" className="mr-2 text-xs text-ink-3">
			{count > 0 && (
				<>
					Updates paused while you read.{" "}
					<button type="button" onClick={onRelease} className="font-strong text-accent hover:underline">
						Show {count} {count === 1 ? "change" : "changes"}
					</button>
				</>
			)}
		</span>
	);
}

function Foot({ more, failed, onRetry }: { more: boolean; failed: boolean; onRetry: () => void }) {
	if (!more) return null;
	return (
		<p role="status" className="px-6 py-3 text-center text-xs text-ink-3">
			{failed ? (
				<>
					Could not load more jobs.{" "}
					<Button size="sm" onClick={onRetry}>
						Try again
					</Button>
				</>
			) : (
				"Loading more jobs…"
			)}
		</p>
	);
}

function exportCsv(rows: readonly JobView[], more: boolean) {
	saveCsv("jobs.csv", jobsCsv(rows));
	notify({
		tone: "done",
		title: `${countJobs(rows.length)} exported`,
		...(more ? { detail: "Scroll down to load the remaining jobs before exporting." } : {}),
	});
}
