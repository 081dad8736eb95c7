"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useRef, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { isPending, type Study } from "#components/plan/format-plan.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Field, Input, Select } from "#components/ui/input.tsx";
import { notify } from "#components/ui/toast.tsx";
import { useUpload } from "#components/upload/use-upload.ts";
import { OPEN_TRACE_NAMES, OPEN_TRACES, type OpenTraceName } from "#server/domain/open-traces.ts";

const DAYS = [30, 90, 365] as const;

/** Choosing a study, starting one of own records or of an uploaded trace, and canceling. */
export function StudyControls({ studies, shown }: { studies: Outputs["plan"]["list"]; shown: Study | null }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [, setChosen] = useQueryState("study", parseAsString);
	const [isOpen, setOpen] = useState(false);
	const settled = {
		onError: (error: unknown) => notify({ tone: "failed", title: "Could not change the study", detail: describeError(error).detail }),
		onSettled: () => client.invalidateQueries({ queryKey: trpc.plan.pathKey() }),
	};
	const start = useMutation(
		trpc.plan.start.mutationOptions({
			...settled,
			onSuccess: ({ id }) => {
				setOpen(false);
				void setChosen(id);
			},
		}),
	);
	const cancel = useMutation(trpc.plan.cancel.mutationOptions(settled));
	return (
		<div className="flex items-center gap-2 print:hidden">
			{studies.length > 1 && (
				<Select
					aria-label="Study"
					className="max-w-52 max-md:hidden"
					value={shown?.id ?? ""}
					onChange={(event) => void setChosen(event.target.value)}
				>
					{studies.map(({ id, name, createdAt }) => (
						<option key={id} value={id}>
							{name}, {createdAt.slice(0, 10)}
						</option>
					))}
				</Select>
			)}
			{shown && isPending(shown) ? (
				<Button busy={cancel.isPending} onClick={() => cancel.mutate({ id: shown.id })}>
					Cancel
				</Button>
			) : (
				<Button onClick={() => setOpen(true)}>New study</Button>
			)}
			<StartDialog open={isOpen} onClose={() => setOpen(false)} busy={start.isPending} onStart={(input) => start.mutate(input)} />
		</div>
	);
}

type StartInput =
	| { source: "records"; days: 30 | 90 | 365; discountPercent: number }
	| { source: "open"; trace: OpenTraceName; discountPercent: number }
	| UploadInput;
type UploadInput = { source: "upload"; name: string; upload: string; gpus?: number; discountPercent: number };

function StartDialog(props: { open: boolean; onClose: () => void; busy: boolean; onStart: (input: StartInput) => void }) {
	const { open, onClose, busy, onStart } = props;
	const file = useRef<HTMLInputElement>(null);
	const [days, setDays] = useState<(typeof DAYS)[number]>(90);
	const [discount, setDiscount] = useState("8");
	const [gpus, setGpus] = useState("");
	const [openTrace, setOpenTrace] = useState<OpenTraceName>(OPEN_TRACE_NAMES[0]);
	const discountPercent = Number(discount);
	const isValid = discount !== "" && discountPercent >= 0 && discountPercent <= 100;
	const send = useMutation(useTRPC().plan.uploadPart.mutationOptions());
	const { upload, progress } = useUpload(send.mutateAsync);
	const startUpload = async (): Promise<void> => {
		const [chosen] = file.current?.files ?? [];
		if (!chosen) {
			notify({ tone: "failed", title: "No file chosen", detail: "Choose a CSV trace, sacct --parsable2, or JSON of Slurm or kubectl." });
			return;
		}
		try {
			const id = await upload(chosen);
			onStart({ source: "upload", name: chosen.name, upload: id, discountPercent, ...(gpus !== "" && { gpus: Number(gpus) }) });
		} catch (error) {
			notify({ tone: "failed", title: `Could not upload ${chosen.name}`, detail: describeError(error).detail });
		}
	};
	return (
		<Dialog open={open} onClose={onClose} title="New study" description="Replays a history with bursting, more GPUs and cloud only.">
			<div className="grid gap-5">
				<Field label="Discount rate, % a year" htmlFor="plan-discount">
					<Input
						id="plan-discount"
						type="number"
						min={0}
						max={100}
						step={0.5}
						value={discount}
						onChange={(e) => setDiscount(e.target.value)}
					/>
				</Field>
				<section className="grid gap-2 border-t pt-4">
					<h3 className="font-semibold">Own records</h3>
					<div className="flex gap-2">
						<Select aria-label="Days" value={String(days)} onChange={(e) => setDays(Number(e.target.value) as (typeof DAYS)[number])}>
							{DAYS.map((value) => (
								<option key={value} value={value}>
									Last {value} days
								</option>
							))}
						</Select>
						<Button variant="primary" busy={busy} disabled={!isValid} onClick={() => onStart({ source: "records", days, discountPercent })}>
							Study records
						</Button>
					</div>
				</section>
				<section className="grid gap-2 border-t pt-4">
					<h3 className="font-semibold">Open traces</h3>
					<div className="flex gap-2">
						<Select aria-label="Open trace" value={openTrace} onChange={(e) => setOpenTrace(e.target.value as OpenTraceName)}>
							{OPEN_TRACES.map(({ name, title }) => (
								<option key={name} value={name}>
									{title}
								</option>
							))}
						</Select>
						<Button busy={busy} disabled={!isValid} onClick={() => onStart({ source: "open", trace: openTrace, discountPercent })}>
							Study trace
						</Button>
					</div>
					<p className="text-xs text-ink-3">{OPEN_TRACES.find(({ name }) => name === openTrace)?.source}</p>
				</section>
				<section className="grid gap-2 border-t pt-4">
					<h3 className="font-semibold">Upload a trace</h3>
					<p className="text-ink-2">CSV, sacct --parsable2, or JSON of Slurm or kubectl, up to 1 GiB. It is deleted when the study ends.</p>
					<input ref={file} type="file" aria-label="Trace file" accept=".csv,.txt,.json,.gz" className="text-xs" />
					<div className="flex gap-2">
						<Input
							aria-label="Owned GPUs"
							type="number"
							min={1}
							placeholder="GPUs, if known"
							value={gpus}
							onChange={(e) => setGpus(e.target.value)}
						/>
						<Button busy={busy || progress !== null} disabled={!isValid} onClick={() => void startUpload()}>
							Upload and study
						</Button>
					</div>
					{progress && (
						<p role="status" className="tabular text-ink-2">
							{progress}
						</p>
					)}
				</section>
			</div>
		</Dialog>
	);
}
