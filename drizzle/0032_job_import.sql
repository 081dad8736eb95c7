CREATE TABLE "cluster_node" (
	"site_id" text NOT NULL,
	"name" text NOT NULL,
	"pool_id" text,
	"state" text NOT NULL,
	"reason" text,
	"gpus" integer NOT NULL,
	"gpus_used" integer NOT NULL,
	CONSTRAINT "cluster_node_site_id_name_pk" PRIMARY KEY("site_id","name"),
	CONSTRAINT "cluster_node_state" CHECK ("cluster_node"."state" in ('ready','closed','down')),
	CONSTRAINT "cluster_node_gpus" CHECK ("cluster_node"."gpus" >= 0 and "cluster_node"."gpus_used" >= 0)
);
--> statement-breakpoint
CREATE TABLE "job_import" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"findings" jsonb NOT NULL,
	"left_out" integer NOT NULL,
	"is_as_read" boolean NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "attempt" ADD COLUMN "cluster_wait" jsonb;--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "import_id" text;--> statement-breakpoint
ALTER TABLE "cluster_node" ADD CONSTRAINT "cluster_node_site_id_site_id_fk" FOREIGN KEY ("site_id") REFERENCES "public"."site"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "job" ADD CONSTRAINT "job_import_id_job_import_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."job_import"("id") ON DELETE no action ON UPDATE no action;