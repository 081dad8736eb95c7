import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { notify } from "#components/ui/toast.tsx";
import { useUpload } from "#components/upload/use-upload.ts";

export type BillPreview = NonNullable<Outputs["bill"]["importFile"]["preview"]>;

/** Uploads a dropped file, previews its import, and imports it. */
export function useBillImport() {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [chosen, setChosen] = useState<{ fileName: string; upload: string | null } | null>(null);
	const [uploadError, setUploadError] = useState<unknown>(null);
	const send = useMutation(trpc.bill.uploadPart.mutationOptions());
	const { upload, progress } = useUpload(send.mutateAsync);
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
		setUploadError(null);
		look.reset();
		post.reset();
	};
	const read = async (file: File) => {
		close();
		setChosen({ fileName: file.name, upload: null });
		try {
			const id = await upload(file);
			setChosen({ fileName: file.name, upload: id });
			look.mutate({ upload: id, preview: true });
		} catch (error) {
			setUploadError(error);
		}
	};
	const failed = post.error ?? look.error ?? uploadError;
	return {
		fileName: chosen?.fileName ?? null,
		progress,
		preview: look.data?.preview ?? null,
		busy: post.isPending,
		error: failed ? describeError(failed).detail : null,
		read: (file: File) => void read(file),
		post: () => chosen?.upload && post.mutate({ upload: chosen.upload, preview: false }),
		close,
	};
}
