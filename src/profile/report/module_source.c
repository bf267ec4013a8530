/* SPDX-License-Identifier: BSD-3-Clause */
#include "module_source.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "jit_codes.h"
#include "map.h"
#include "mem.h"
#include "object.h"
#include "os.h"
#include "process_files.h"
#include "python_names.h"
#include "resolver_code.h"
#include "text.h"

struct module_source {
        const struct world *world;
        const struct collect_result *collected;
        struct pe_images *images;
        struct resolver *resolver;
        struct resolver *files; /* for the files of archived modules; NULL until one is needed */
        const struct resolver_sources *sources;
        const struct symbol_archive *archive; /* NULL if there is none */
        struct recorded_symbols *recorded;    /* symbols that another recorder wrote into the session */
        struct buf recorded_note;
        struct jit_codes *jits; /* NULL for a pipe, which is read before its jitdumps are complete */
        struct python_names *python;
        struct map ids;      /* module id to resolver id + 1 */
        struct map asked;    /* set of the modules in `used` */
        struct map jitdumps; /* pid to module id + 1 of the jitdump that the process mapped */
        size_t n_looked_at;  /* modules searched for jitdumps so far */
        module_id *used;
        size_t n_used, cap_used;
        bool is_arm64;      /* the machine that recorded */
        bool same_machine;  /* the session was recorded on this host, under the same kernel release */
        int64_t written_ns; /* when the session was written; 0: unknown, or just now */
};

/* What a killed recorder leaves does not name its machine. Assume it was this one, unless the file was
 * truncated. */
static bool is_left_behind(const struct perfdata_reader *reader)
{
        const struct perfdata_damage *damage = perfdata_get_damage(reader);

        return damage->features_missing && !damage->cut_bytes;
}

static bool is_same_machine(const struct perfdata_reader *reader)
{
        const char *hostname = perfdata_feature_str(reader, FEATURE_HOSTNAME);
        const char *release = perfdata_feature_str(reader, FEATURE_OSRELEASE);
        struct os_machine machine;

        if (!hostname && !release && is_left_behind(reader))
                return true;
        os_machine_get(&machine);
        return hostname && release && !strcmp(hostname, machine.hostname) &&
               !strcmp(release, machine.os_release);
}

static bool is_from_arm64(const struct perfdata_reader *reader)
{
        static const char *const names[] = {"aarch64", "arm64", "ARM64"};
        const char *machine = perfdata_feature_str(reader, FEATURE_ARCH);

        for (size_t i = 0; machine && i < N_ELEMENTS(names); i++) {
                if (!strcmp(machine, names[i]))
                        return true;
        }
        return false;
}

bool module_source_is_arm64(const struct module_source *source)
{
        return source->is_arm64;
}

struct module_source *module_source_new(const struct world *world, const struct perfdata_reader *reader,
                                        struct pe_images *images, const struct resolver_options *options,
                                        const struct collect_result *collected)
{
        struct module_source *source = mem_new(1, sizeof(*source));

        source->world = world;
        source->images = images;
        source->collected = collected;
        source->resolver = resolver_new(options);
        source->sources = options->sources;
        source->same_machine = is_same_machine(reader);
        source->is_arm64 = is_from_arm64(reader);
        if (!perfdata_get_layout(reader)->pipe)
                source->jits = jit_codes_new(reader, options->sources ? options->sources->budget : NULL);
        source->python = python_names_new(perfdata_feature(reader, FEATURE_WPERF_PYTHON));
        source->recorded = recorded_symbols_new(
                &(struct recorded_sections){
                        .simpleperf_file = perfdata_feature(reader, FEATURE_SIMPLEPERF_FILE),
                        .simpleperf_file2 = perfdata_feature(reader, FEATURE_SIMPLEPERF_FILE2),
                        .hiperf_symbols = perfdata_feature(reader, FEATURE_HIPERF_FILES_SYMBOL),
                },
                &source->recorded_note);
        return source;
}

void module_source_set_written(struct module_source *source, int64_t written_ns)
{
        source->written_ns = written_ns;
}

void module_source_free(struct module_source *source)
{
        if (!source)
                return;
        resolver_free(source->resolver);
        resolver_free(source->files);
        jit_codes_free(source->jits);
        python_names_free(source->python);
        recorded_symbols_free(source->recorded);
        buf_release(&source->recorded_note);
        map_release(&source->ids);
        map_release(&source->asked);
        map_release(&source->jitdumps);
        free(source->used);
        free(source);
}

void module_source_use_archive(struct module_source *source, const struct symbol_archive *archive)
{
        source->archive = archive;
}

struct archive_identity module_source_identity(const struct module_source *source, module_id id)
{
        const struct module *module = world_get_module(source->world, id);

        return (struct archive_identity){
                .kind = module->kind,
                .path = world_text(source->world, module->path),
                .pid = module->kind == MODULE_ANON ? module->pid : 0,
                .build_id = module->build_id,
                .build_id_size = module->build_id_size,
                .dev = module->dev,
                .inode = module->inode,
                .start = module->start,
                .end = module->end,
        };
}

static const struct archived_module *find_archived(const struct module_source *source, module_id id)
{
        struct archive_identity identity;

        /* The names of Python places have their own section, in an archived session too. */
        if (!source->archive || world_get_module(source->world, id)->kind == MODULE_PYTHON)
                return NULL;
        identity = module_source_identity(source, id);
        return symbol_archive_find(source->archive, &identity);
}

int64_t module_source_built_ns(const struct module_source *source, module_id id)
{
        const struct archived_module *archived = find_archived(source, id);
        struct os_stat st;

        if (archived)
                return archived->facts.built_ns;
        return os_stat(world_text(source->world, world_get_module(source->world, id)->path), &st)
                       ? st.mtime_ns
                       : 0;
}

const struct recorded_symbols *module_source_recorded(const struct module_source *source)
{
        return source->recorded;
}

const char *module_source_recorded_note(const struct module_source *source)
{
        return buf_text(&source->recorded_note);
}

const struct python_section *module_source_python(const struct module_source *source)
{
        return python_names_section(source->python);
}

void module_source_read_again(struct module_source *source, enum module_kind kind)
{
        for (module_id i = 0; i < world_n_modules(source->world); i++) {
                uint64_t *id = map_find(&source->ids, i);

                if (id && world_get_module(source->world, i)->kind == kind)
                        *id = 0;
        }
}

void module_source_set_python(struct module_source *source, struct cursor section)
{
        python_names_free(source->python);
        source->python = python_names_new(section);
        module_source_read_again(source, MODULE_PYTHON);
}

struct resolver *module_source_resolver(struct module_source *source)
{
        return source->resolver;
}

static bool is_build(const char *path, const struct module *module)
{
        AUTO(object) object = object_open(path, NULL);
        const struct object_facts *facts = object ? object_get_facts(object) : NULL;

        return facts && object_build_id_equal(facts->build_id, facts->build_id_size, module->build_id,
                                              module->build_id_size);
}

static const struct kept_file *find_kept(const struct collect_result *collected, const struct module *module,
                                         const char *path)
{
        return collected ? kept_file_find(collected->kept, collected->n_kept, module, path) : NULL;
}

/* Whether the file at `path` is the one that was kept open. *ret_there: whether `path` exists. */
static bool is_kept_file(const char *path, const char *kept_path, bool *ret_there)
{
        struct os_stat there, kept;

        *ret_there = os_stat(path, &there);
        return *ret_there && os_stat(kept_path, &kept) && there.inode == kept.inode && there.dev == kept.dev;
}

/* Appends the path of a file that only the collector of this run can reach, because its path has no file or
 * another one. False if it is not needed. */
static bool kept_path(const struct module_source *source, const struct module *module, const char *path,
                      struct buf *out)
{
        const struct kept_file *kept = find_kept(source->collected, module, path);
        bool is_there;

        if (!kept)
                return false;
        buf_clear(out);
        process_kept_path(kept, out);
        if (is_kept_file(path, buf_text(out), &is_there))
                return false;
        return !is_there || kept_file_is_of(kept, module, path) || !is_build(path, module);
}

bool module_source_is_lost(const struct collect_result *collected, const struct module *module,
                           const char *path)
{
        const struct kept_file *kept = find_kept(collected, module, path);
        AUTO_RELEASE(buf) at = {0};
        bool is_there;

        if (!kept)
                return false;
        process_kept_path(kept, &at);
        if (is_kept_file(path, buf_text(&at), &is_there))
                return false;
        return !is_there || !module->build_id_size || !is_build(path, module);
}

static const struct module *jitdump_of(struct module_source *source, int32_t pid)
{
        const uint64_t *at;

        for (size_t i = source->n_looked_at; i < world_n_modules(source->world); i++) {
                const struct module *module = world_get_module(source->world, (module_id)i);

                if (module->kind == MODULE_JITDUMP)
                        *map_put(&source->jitdumps, (uint32_t)module->pid, NULL) = i + 1;
        }
        source->n_looked_at = world_n_modules(source->world);
        at = map_find(&source->jitdumps, (uint32_t)pid);
        return at ? world_get_module(source->world, (module_id)(*at - 1)) : NULL;
}

/* Appends the path of a file in the root of the running process that mapped it. The pid may have been reused
 * since, so the build id must match. */
static bool foreign_path(const struct module_source *source, const struct module *module, struct buf *out)
{
        const char *path = world_text(source->world, module->path);
        struct os_stat here, there;

        if (!source->same_machine || !module->build_id_size || module->pid <= 0)
                return false;
        buf_clear(out);
        process_file_path(module->pid, path, out);
        if (!os_stat(buf_text(out), &there) ||
            (os_stat(path, &here) && here.dev == there.dev && here.inode == there.inode))
                return false;
        return !is_build(path, module) && is_build(buf_text(out), module);
}

/* The number to add to offsets in the module to get addresses of the recorded symbols. */
static uint64_t recorded_slide(const struct recorded_file *file, const struct module *module)
{
        switch (file->kind) {
        case RECORDED_KERNEL: return 0;
        case RECORDED_KERNEL_MODULE: return file->vaddr - file->off - module->start;
        case RECORDED_FILE: break;
        }
        if (file->has_off)
                return file->vaddr - file->off;
        return module->code_pgoff == UINT64_MAX ? 0 : file->vaddr - module->code_pgoff;
}

static void add_recorded(const struct module_source *source, const struct module *module,
                         struct resolver_module *desc)
{
        const bool is_kernel = module->kind == MODULE_KERNEL || module->kind == MODULE_KERNEL_MODULE;
        const struct recorded_file *own =
                recorded_symbols_find(source->recorded, world_text(source->world, module->path));
        const struct recorded_file *kernel =
                is_kernel ? recorded_symbols_find(source->recorded, "[kernel.kallsyms]") : NULL;
        size_t n = 0;

        if (own)
                desc->recorded[n++] = (struct resolver_recorded){own, recorded_slide(own, module)};
        if (kernel && kernel != own)
                desc->recorded[n++] = (struct resolver_recorded){kernel, 0};
        if (own && !desc->build_id_size) {
                desc->build_id = own->build_id;
                desc->build_id_size = own->build_id_size;
        }
        if (own && !desc->build_id_size && !source->same_machine)
                desc->not_used = "was recorded on another machine, and its build id is not known";
}

/* --- Code made at run time --- */

static struct os_origin origin_of(const struct module_source *source, int32_t pid)
{
        struct os_origin origin = process_origin(source->collected, pid);

        origin.any_owner = source->sources && source->sources->any_owner;
        return origin;
}

/* May run in another thread while source->world replays records, so the caller passes its own copy of the
 * path. */
static const struct jit_code *get_jit(const struct module_source *source, const struct module *module,
                                      const char *path)
{
        const struct jit_code *code = jit_codes_find(source->jits, module);
        AUTO_RELEASE(buf) kept = {0};
        struct jit_file file = {.path = path};

        if (code)
                return code;
        file.origin = origin_of(source, module->pid);
        if (kept_path(source, module, path, &kept))
                file.open_path = buf_text(&kept);
        return jit_codes_add(source->jits, module, &file);
}

const void *module_source_open_code(void *ctx, const struct module *module, const char *path)
{
        const struct module_source *source = ctx;
        const struct jit_code *code = source->jits ? get_jit(source, module, path) : NULL;

        return code && code_history_n(code->history) ? code : NULL;
}

static void describe_jitdump(const struct module_source *source, const struct module *module,
                             struct resolver_module *desc)
{
        const struct jit_code *code;

        if (!source->jits)
                return;
        code = get_jit(source, module, desc->path);
        desc->kind = code->dump ? RESOLVER_JITDUMP : RESOLVER_NONE;
        desc->jitdump = code->dump;
        desc->jit_note = buf_text(&code->note);
}

static resolver_id describe_anon(struct module_source *source, struct resolver *resolver,
                                 const struct module *module)
{
        const int32_t pid = module->pid;
        const struct module *jitdump = jitdump_of(source, pid);
        const char *path = jitdump ? world_text(source->world, jitdump->path) : NULL;
        AUTO_RELEASE(buf) map = {0};
        AUTO_RELEASE(buf) kept = {0};
        struct resolver_module desc = {.kind = RESOLVER_PERFMAP, .origin = origin_of(source, pid)};

        add_recorded(source, module, &desc);
        if (desc.recorded[0].file) {
                desc.kind = RESOLVER_NONE;
                return resolver_add_module(resolver, &desc);
        }
        process_perf_map_path(source->collected, pid, &map);
        desc.path = map.data;
        if (jitdump && source->jits) {
                desc.jit_note = buf_text(&get_jit(source, jitdump, path)->note);
        } else if (jitdump) {
                desc.jitdump_path = path;
                if (kept_path(source, jitdump, path, &kept))
                        desc.jitdump_open_path = kept.data;
        }
        return resolver_add_module(resolver, &desc);
}

/* Without a build id, times and inodes tell whether a program was built again at its path. */
static bool is_replaced(const struct module_source *source, const struct module *module, const char *path)
{
        struct os_stat st;

        if (!source->same_machine || !source->written_ns || !os_stat(path, &st))
                return false;
        return st.mtime_ns > source->written_ns ||
               (module->inode && st.inode != module->inode && st.ctime_ns > source->written_ns);
}

/* Whether the file at `path` has another build id of Go's linker than `wanted`. */
static bool is_other_go_build(const char *path, const char *wanted)
{
        AUTO(object) object = object_open(path, NULL);
        char id[OBJECT_GO_BUILD_ID_BYTES + 1];

        return object && (!object_find_go_build_id(object, id) || strcmp(id, wanted) != 0);
}

/* Decides whether a file without a GNU build id is the recorded one. */
static const char *why_not_used(const struct module_source *source, const struct module *module,
                                const struct resolver_module *desc)
{
        const char *go_build_id = pe_images_go_build_id(source->images, desc->path);

        if (go_build_id)
                return is_other_go_build(desc->path, go_build_id)
                               ? "was rebuilt after the session was recorded: its Go build id differs"
                               : NULL;
        if (!desc->not_used && is_replaced(source, module, desc->path))
                return "was changed after the session was recorded, and its build id is not known";
        return desc->not_used;
}

/* `archived` is NULL to ignore what is packed in the session. */
static resolver_id describe(struct module_source *source, struct resolver *resolver, module_id id,
                            const struct archived_module *archived)
{
        const struct module *module = world_get_module(source->world, id);
        AUTO_RELEASE(buf) other = {0};
        struct resolver_module desc = {
                .kind = RESOLVER_NONE,
                .path = world_text(source->world, module->path),
                .build_id = module->build_id,
                .build_id_size = module->build_id_size,
                .archived = archived,
        };

        /* If the packed symbols are those kept while recording, a file of the same build may still exist and
         * is used too. */
        if (archived && (!archived->facts.is_kept || module->kind == MODULE_ANON))
                return resolver_add_module(resolver, &desc);
        add_recorded(source, module, &desc);
        switch (module->kind) {
        case MODULE_FILE:
        case MODULE_IMAGE:
                desc.kind = RESOLVER_FILE;
                desc.is_image = module->kind == MODULE_IMAGE;
                desc.pe = pe_images_find(source->images, desc.path, desc.build_id, desc.build_id_size);
                if (kept_path(source, module, desc.path, &other) || foreign_path(source, module, &other))
                        desc.open_path = other.data;
                else if (!desc.build_id_size)
                        desc.not_used = why_not_used(source, module, &desc);
                break;
        case MODULE_VDSO:
                if (source->same_machine && os_vdso(&desc.image, &desc.image_size))
                        desc.kind = RESOLVER_FILE;
                break;
        case MODULE_KERNEL:
        case MODULE_KERNEL_MODULE:
        case MODULE_KSYMBOL: desc.kind = source->same_machine ? RESOLVER_KERNEL : RESOLVER_NONE; break;
        case MODULE_ANON: return describe_anon(source, resolver, module);
        case MODULE_JITDUMP: describe_jitdump(source, module, &desc); break;
        case MODULE_PYTHON:
                desc.kind = RESOLVER_PYTHON;
                desc.python = python_names_get(source->python);
                break;
        }
        return resolver_add_module(resolver, &desc);
}

static resolver_id find_id(struct module_source *source, module_id module)
{
        uint64_t *known = map_put(&source->ids, module, NULL);

        if (!*known)
                *known = (uint64_t)describe(source, source->resolver, module, find_archived(source, module)) +
                         1;
        return (resolver_id)(*known - 1);
}

resolver_id module_source_get(void *ctx, module_id module)
{
        struct module_source *source = ctx;
        bool is_new;

        assert(module != MODULE_NONE);
        map_put(&source->asked, module, &is_new);
        if (is_new)
                ARRAY_PUSH(source->used, source->n_used, source->cap_used, module);
        return find_id(source, module);
}

resolver_id module_source_peek(struct module_source *source, module_id module)
{
        return find_id(source, module);
}

struct object *module_source_object(struct module_source *source, module_id module)
{
        resolver_id id = find_id(source, module);

        if (!find_archived(source, module))
                return resolver_get_facts(source->resolver, id)->object;
        if (!source->files)
                source->files = resolver_new(&(struct resolver_options){.sources = source->sources});
        return resolver_get_facts(source->files, describe(source, source->files, module, NULL))->object;
}

const struct resolver_facts *module_source_facts(struct module_source *source, module_id module)
{
        return resolver_get_facts(source->resolver, module_source_get(source, module));
}

const struct resolver_image *module_source_image(struct module_source *source, module_id module)
{
        enum module_kind kind = world_get_module(source->world, module)->kind;
        const struct resolver_facts *facts;

        if (kind != MODULE_FILE && kind != MODULE_IMAGE)
                return NULL;
        facts = module_source_facts(source, module);
        return facts->has_image ? &facts->image : NULL;
}

bool module_source_is_executable(void *ctx, module_id module)
{
        const struct resolver_image *image = module_source_image(ctx, module);

        return image && image->is_executable;
}

/* Code in memory without a file belongs to the perf map or jitdump that names it, which may grow until the
 * session ends. Code that neither names is anonymous. Names in the session are complete. */
static void tell_anon(const struct module_source *source, const struct module *module, const char *path,
                      struct module_facts *ret)
{
        ret->kind = NAMED_ANON;
        ret->name = path[0] == '[' ? path : "[anon]";
        if (recorded_symbols_find(source->recorded, path))
                return;
        ret->map_pid = module->pid;
        ret->symbols_tell = true;
        ret->is_settled = false;
}

void module_source_tell(void *ctx, module_id id, struct module_facts *ret)
{
        const struct module_source *source = ctx;
        const struct module *module = world_get_module(source->world, id);
        const char *path = world_text(source->world, module->path);

        *ret = (struct module_facts){
                .name = text_base_name(path),
                .map_pid = -1,
                .is_settled = true,
                .has_elf_id = true,
        };
        switch (module->kind) {
        case MODULE_IMAGE:
                /* its build id consists of the GUID and age of its PDB */
                ret->has_elf_id = false;
                ret->has_file = true;
                break;
        case MODULE_FILE: ret->has_file = true; break;
        case MODULE_VDSO:
                ret->kind = NAMED_VDSO;
                ret->has_file = true;
                break;
        case MODULE_KERNEL: ret->kind = NAMED_KERNEL; break;
        case MODULE_KERNEL_MODULE: ret->kind = NAMED_KERNEL_MODULE; break;
        case MODULE_KSYMBOL: ret->kind = NAMED_BPF; break;
        case MODULE_JITDUMP: ret->kind = NAMED_JIT; break;
        case MODULE_ANON: tell_anon(source, module, path, ret); break;
        case MODULE_PYTHON:
                ret->kind = NAMED_PYTHON;
                ret->has_lines = true;
                break;
        }
}

static enum object_machine recorded_machine(const struct module_source *source, const struct module *module)
{
        if (module->kind != MODULE_IMAGE)
                return OBJECT_MACHINE_OTHER;
        return pe_images_machine(source->images, world_text(source->world, module->path), module->build_id,
                                 module->build_id_size);
}

enum exec_machine module_source_machine(void *ctx, module_id id, uint64_t addr)
{
        struct module_source *source = ctx;
        enum object_machine machine;
        const struct object *object;

        if (id == MODULE_NONE)
                return EXEC_UNKNOWN;
        object = module_source_facts(source, id)->object;
        machine = object ? object_code_at(object, addr)
                         : resolver_get_machine(source->resolver, module_source_get(source, id), addr);
        if (machine == OBJECT_MACHINE_OTHER)
                machine = recorded_machine(source, world_get_module(source->world, id));
        switch (machine) {
        case OBJECT_MACHINE_OTHER: break;
        case OBJECT_MACHINE_X86: return source->is_arm64 ? EXEC_X86_EMULATED : EXEC_X86;
        case OBJECT_MACHINE_X86_64: return source->is_arm64 ? EXEC_X64_EMULATED : EXEC_X64;
        case OBJECT_MACHINE_ARM: return EXEC_ARM;
        case OBJECT_MACHINE_ARM64: return EXEC_ARM64;
        case OBJECT_MACHINE_ARM64EC: return EXEC_ARM64EC;
        }
        return EXEC_UNKNOWN;
}

size_t module_source_n_used(const struct module_source *source)
{
        return source->n_used;
}

module_id module_source_used(const struct module_source *source, size_t index)
{
        assert(index < source->n_used);
        return source->used[index];
}

const char *module_source_note(const struct module_source *source, module_id module)
{
        const uint64_t *known = map_find(&source->ids, module);

        return known ? resolver_note(source->resolver, (resolver_id)(*known - 1)) : NULL;
}

/* NULL if the module is not a jitdump. */
static struct jit_code *find_jit(const struct module_source *source, module_id id)
{
        const struct module *module = world_get_module(source->world, id);

        return source->jits && module->kind == MODULE_JITDUMP ? jit_codes_find(source->jits, module) : NULL;
}

void module_source_keep_code(struct module_source *source, module_id module, uint64_t addr)
{
        struct jit_code *code = find_jit(source, module);

        if (code)
                jit_code_keep(code, addr);
}

void module_source_pack_code(const struct module_source *source, struct buf *section)
{
        if (source->jits)
                jit_codes_pack(source->jits, section);
}

uint64_t module_source_slide(const struct module_source *source, module_id module, uint64_t addr)
{
        const struct jit_code *code = find_jit(source, module);

        return code ? jit_code_slide(code, addr) : 0;
}

bool module_source_target(const struct module_source *source, module_id module, uint64_t addr, uint64_t shown,
                          uint64_t *ret_addr)
{
        const struct jit_code *code = find_jit(source, module);

        if (code)
                return jit_code_target(code, addr, shown, ret_addr);
        *ret_addr = shown;
        return true;
}

const char *module_source_doubt(const struct module_source *source, module_id module)
{
        const uint64_t *known = map_find(&source->ids, module);
        const struct jit_code *code = find_jit(source, module);

        if (code)
                return code->doubt.len ? buf_text(&code->doubt) : NULL;
        return known ? resolver_doubt(source->resolver, (resolver_id)(*known - 1)) : NULL;
}
