import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { notify } from "#components/ui/toast.tsx";
import { encodeFile } from "./encode-file.ts";

export type BillPreview = NonNullable<Outputs["bill"]["importFile"]["preview"]>;
type Chosen = { fileName: string; contentBase64: string };

/** Reads a dropped file, previews its import, and imports it. */
export function useBillImport() {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [chosen, setChosen] = useState<Chosen | null>(null);
	const look = useMutation(trpc.bill.importFile.mutationOptions());
	const post = useMutation(
		trpc.bill.importFile.mutationOptions({
			onSuccess: ({ bill, months }) => {
				for (const queryKey of [trpc.bill.pathKey(), trpc.statement.pathKey(), trpc.spend.pathKey()])
					void client.invalidateQueries({ queryKey });
				notify({ tone: "done", title: `${bill.fileName} imported`, detail: `Months reconciled: ${months.join(", ")}.` });
				close();
			},
		}),
	);
	const close = () => {
		setChosen(null);
		look.reset();
		post.reset();
	};
	const read = async (file: File) => {
		post.reset();
		const next = { fileName: file.name, contentBase64: await encodeFile(file) };
		setChosen(next);
		look.mutate({ ...next, preview: true });
	};
	const failed = post.error ?? look.error;
	return {
		fileName: chosen?.fileName ?? null,
		preview: look.data?.preview ?? null,
		busy: post.isPending,
		error: failed ? describeError(failed).detail : null,
		read: (file: File) => void read(file),
		post: () => chosen && post.mutate({ ...chosen, preview: false }),
		close,
	};
}
