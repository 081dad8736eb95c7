-- expands: earlier programs run on this schema
CREATE TABLE "job_secret" (
	"team" text NOT NULL,
	"name" text NOT NULL,
	"source" jsonb NOT NULL,
	"sealed" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"changed_by" text NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "job_secret_team_name_pk" PRIMARY KEY("team","name")
);
--> statement-breakpoint
ALTER TABLE "attempt" ADD COLUMN "sealed_secrets" text;--> statement-breakpoint
ALTER TABLE "job_secret" ADD CONSTRAINT "job_secret_team_team_name_fk" FOREIGN KEY ("team") REFERENCES "public"."team"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attempt_sealed" ON "attempt" USING btree ("id") WHERE "attempt"."sealed_secrets" is not null;