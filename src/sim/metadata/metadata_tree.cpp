// The metadata server's tree: look-ups, listings, recursive answers, etags.
#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "sim/metadata/metadata.hpp"
#include "sim/model/model.hpp"
#include "sim/wire/encoding.hpp"

namespace rollcall::sim {

namespace {

struct Leaf {
  std::string_view path;  // below the directory
  const MetadataValue* value;
};

bool is_placeholder(MetadataKind kind) { return kind == MetadataKind::empty_object || kind == MetadataKind::empty_array; }
bool is_dynamic(MetadataKind kind) { return kind == MetadataKind::token || kind == MetadataKind::identity; }

// The current leaves below a directory, including placeholders of empty directories, in the order of their paths.
std::vector<Leaf> leaves_below(const MetadataTree& tree, std::string_view directory, Duration now) {
  std::vector<Leaf> out;
  for (auto entry = tree.lower_bound(directory); entry != tree.end() && entry->first.starts_with(directory); ++entry) {
    const MetadataMoment* const moment = moment_at(entry->second, now);
    if (moment && moment->value) out.push_back({std::string_view(entry->first).substr(directory.size()), &*moment->value});
  }
  return out;
}

std::string camel_case(std::string_view kebab) {
  std::string out;
  bool is_next_upper = false;
  for (const char c : kebab) {
    if (c == '-') {
      is_next_upper = true;
    } else {
      out += is_next_upper && is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
      is_next_upper = false;
    }
  }
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

json::value leaf_json(const MetadataValue& value) {
  if (value.kind == MetadataKind::list) {
    json::array lines;
    for (const std::string_view line : lines_of(value.text)) lines.push_back(json::string(line));
    return lines;
  }
  if (value.kind == MetadataKind::number || value.kind == MetadataKind::json) {
    std::error_code error;
    json::value parsed = json::parse(value.text, error);
    if (!error) return parsed;
  }
  return json::string(value.text);
}

// User-defined keys are not converted: attributes, guest attributes, service account addresses.
bool keeps_keys(std::string_view directory_name) {
  return directory_name == "attributes" || directory_name == "guest-attributes" || directory_name == "service-accounts";
}

json::value directory_json(const std::vector<Leaf>& leaves, std::size_t first, std::size_t last, std::size_t depth, bool has_own_keys) {
  json::object object;
  json::array array;
  bool is_array = false;
  for (std::size_t i = first; i < last;) {
    const std::string_view rest = leaves[i].path.substr(depth);
    const MetadataValue& value = *leaves[i].value;
    if (rest.empty()) {  // the placeholder of an empty directory
      is_array = value.kind == MetadataKind::empty_array;
      ++i;
      continue;
    }
    const std::size_t slash = rest.find('/');
    const std::string_view name = rest.substr(0, slash);
    json::value child;
    if (slash == std::string_view::npos) {
      ++i;
      if (is_dynamic(value.kind)) continue;
      child = leaf_json(value);
    } else {
      std::size_t end = i;
      while (end < last && leaves[end].path.substr(depth).starts_with(rest.substr(0, slash + 1))) ++end;
      child = directory_json(leaves, i, end, depth + slash + 1, has_own_keys || keeps_keys(name));
      i = end;
    }
    // Only network interfaces, access configurations, disks and the like are numbered.
    if (!has_own_keys && slash != std::string_view::npos && std::all_of(name.begin(), name.end(), is_digit)) {
      is_array = true;
      array.push_back(std::move(child));
    } else {
      object[has_own_keys ? std::string(name) : camel_case(name)] = std::move(child);
    }
  }
  if (is_array) return array;
  return object;
}

std::string listing(const std::vector<Leaf>& leaves) {
  std::string out;
  std::string_view previous;
  for (const Leaf& leaf : leaves) {
    const std::size_t slash = leaf.path.find('/');
    const std::string_view name = slash == std::string_view::npos ? leaf.path : leaf.path.substr(0, slash + 1);
    if (name.empty() || name == previous) continue;
    previous = name;
    out.append(name).append("\n");
  }
  return out;
}

std::string flat_text(const std::vector<Leaf>& leaves) {
  std::string out;
  for (const Leaf& leaf : leaves) {
    if (is_placeholder(leaf.value->kind) || is_dynamic(leaf.value->kind)) continue;
    out.append(leaf.path).append(" ").append(leaf.value->text).append("\n");
  }
  return out;
}

}  // namespace

bool is_metadata_directory(const MetadataTree& tree, std::string_view path, Duration now) {
  return path.empty() || !leaves_below(tree, std::string(path) + "/", now).empty();
}

std::optional<Duration> next_metadata_change(const MetadataTree& tree, std::string_view path, Duration now) {
  std::optional<Duration> earliest;
  for (auto entry = tree.lower_bound(path); entry != tree.end() && entry->first.starts_with(path); ++entry) {
    if (const auto next = next_moment(entry->second, now)) earliest = std::min(earliest.value_or(*next), *next);
  }
  return earliest;
}

std::optional<MetadataContent> read_metadata(const MetadataTree& tree, std::string_view path, const MetadataForm& form, Duration now) {
  MetadataContent out;
  if (path.empty() || path.ends_with('/')) {
    const std::vector<Leaf> leaves = leaves_below(tree, path, now);
    if (leaves.empty()) return std::nullopt;
    if (!form.is_recursive) {
      out.body = listing(leaves);
    } else if (form.alt == "text") {
      out.body = flat_text(leaves);
    } else {
      const std::string parent(path.substr(0, path.empty() ? 0 : path.size() - 1));
      const std::string_view name = std::string_view(parent).substr(parent.rfind('/') + 1);
      out.is_json = true;
      out.body = json::serialize(directory_json(leaves, 0, leaves.size(), 0, keeps_keys(name)));
    }
  } else {
    const auto entry = tree.find(path);
    const MetadataMoment* const moment = entry == tree.end() ? nullptr : moment_at(entry->second, now);
    if (!moment || !moment->value) return std::nullopt;
    out.kind = moment->value->kind;
    out.is_json = form.alt == "json" || (out.kind == MetadataKind::json && form.alt != "text");
    out.body = form.alt == "json" ? json::serialize(leaf_json(*moment->value)) : moment->value->text;
  }
  out.etag = fingerprint(std::string(path) + '\0' + out.body);
  return out;
}

}  // namespace rollcall::sim
